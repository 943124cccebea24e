// Compiles the Python of an archive with the Python that will run it: `node compile.mjs FROM TO`.
import { loadPyodide } from "pyodide";
import { readFileSync, writeFileSync } from "node:fs";

const python = await loadPyodide();
const [from, to] = process.argv.slice(2);
python.unpackArchive(new Uint8Array(readFileSync(from)).buffer, "zip", { extractDir: "/code" });
python.runPython(`
import compileall, pathlib, shutil
from py_compile import PycInvalidationMode

assert compileall.compile_dir("/code", quiet=1, legacy=True, optimize=2, stripdir="/code", invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
for path in pathlib.Path("/code").rglob("*.py"):
    path.unlink()
shutil.make_archive("/compiled", "zip", "/code")
`);
writeFileSync(to, python.FS.readFile("/compiled.zip"));
