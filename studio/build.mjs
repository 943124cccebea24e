// Bundles the page of the studio into src/stormproof/apps/studio/static, with the licences of what it contains.
//
//   cd studio && npm ci && npm run build
//
// The result is committed, so that nobody needs Node to install or use stormproof.
import { build } from "esbuild";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "src", "stormproof", "apps", "studio", "static");

// What is installed is what the lock says: each package with its hash, and from wherever the registry of this machine is.
const { packages } = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8"));
for (const [path, { version, integrity, resolved }] of Object.entries(packages)) {
  if (path === "") continue;
  if (!integrity || resolved) throw new Error(`package-lock.json: ${path} needs a hash and no address; run npm install`);
  const file = join(here, path, "package.json");
  if (existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version !== version)
    throw new Error(`${path} is not version ${version}; run npm ci`);
}

const result = await build({
  entryPoints: [join(here, "src", "main.js")],
  outfile: join(target, "studio.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  metafile: true,
  absWorkingDir: here,
  banner: { js: "// Built from studio/ by studio/build.mjs; the licences of what it contains are in LICENSES.txt." },
});

// The packages that are really in the bundle, by the paths of its inputs.
const inside = Object.keys(result.metafile.inputs)
  .map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
  .filter(Boolean);

const parts = [...new Set(inside)].sort().map((name) => {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[sc]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence file`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
});
writeFileSync(join(target, "LICENSES.txt"), "The script studio.js contains these packages.\n\n" + parts.join("\n" + "-".repeat(72) + "\n\n"));

const size = Object.values(result.metafile.outputs)[0].bytes;
console.log(`${relative(process.cwd(), join(target, "studio.js"))}: ${(size / 1024).toFixed(0)} KiB, ${parts.length} packages`);
