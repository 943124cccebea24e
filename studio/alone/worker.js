// Python in a worker of the browser: it answers the questions of the page, one after another.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const tell = (message) => postMessage(message);

async function start() {
  const here = new URL("./", import.meta.url).href;
  const [python, archive] = await Promise.all([
    loadPyodide({ indexURL: `${here}pyodide/` }),
    fetch(`${here}python.zip`).then((answer) => answer.arrayBuffer()),
  ]);
  python.unpackArchive(archive, "zip", { extractDir: "/stormproof" });
  python.runPython("import sys; sys.path.insert(0, '/stormproof'); sys.setrecursionlimit(4000)");
  return python.pyimport("stormproof.apps.studio.alone");
}

const starting = start().then((alone) => {
  tell(JSON.parse(alone.hello()));
  return alone;
}).catch((problem) => {
  tell({ broken: `Python could not be started: ${problem.message}` });
  throw problem;
});

addEventListener("message", async ({ data }) => {
  const alone = await starting;
  const hear = (part) => tell({ id: data.id, ...JSON.parse(part) });
  tell({ id: data.id, ...JSON.parse(alone.answer(JSON.stringify(data), hear)) });
});
