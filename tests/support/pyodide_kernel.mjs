// Python of the live book under Node: reads a line of JSON (the sources of a notebook's cells),
// writes a line of JSON (the outputs of each cell), until its input ends.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, packages, driver] = process.argv.slice(2);
const say = (what) => process.stdout.write(JSON.stringify(what) + "\n");
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide/pyodide.mjs`));
const python = await loadPyodide({
  indexURL: `${folder}/pyodide/`,
  lockFileURL: `${folder}/pyodide-lock.json`,
  packages: JSON.parse(packages),
  stdout: () => {},
  stderr: (line) => process.stderr.write(line + "\n"),
});
python.runPython(driver);
const run = python.globals.get("run");
const used = () => Object.values(process.cpuUsage()).reduce((a, b) => a + b, 0) / 1e6;
say({ ready: true, seconds: used() });
for await (const line of createInterface({ input: process.stdin })) {
  const before = used();
  const answer = JSON.parse(await run(line));
  say({ ...answer, seconds: used() - before });
}
