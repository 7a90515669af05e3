// Python for the live book: the kernel imports this module instead of Pyodide's own, and gets the
// same Python sooner. It starts with the page, not after it; a library is linked when it is
// imported; and what a start works out (the files of the packages, and their bytecode) is kept in
// this browser for the next start.
import { loadPyodide as start } from "./pyodide/pyodide.mjs";

const PYODIDE = "./pyodide/";
const SITE = "/lib/python3.14/book-packages";
const BYTECODE = "/tmp/bytecode";
const KEEP_AFTER = 10000; // milliseconds for the first cells, which are not to wait
const UNUSED = /\/(tests|sample_data)\/|\.(pyx|pxd|h)$/;
const IMPORTS = [
  ["the notebook's kernel", "import micropip, piplite.piplite, pyodide_kernel"],
  ["scikit-learn", "import sklearn.cluster, sklearn.preprocessing"],
  ["the book", "import umlbook.book"],
];

const here = (name) => new URL(name, import.meta.url).href;
const tell = (umlbook) => self.postMessage({ umlbook });

let begun;
/** Start Python, once. */
export const begin = () => (begun ??= startedPython());

/** What the kernel asks for. */
export async function loadPyodide({ stdout, stderr }) {
  const python = await begin();
  python.setStdout({ batched: stdout });
  python.setStderr({ batched: stderr });
  return python;
}

async function startedPython() {
  let shelf;
  try {
    const lock = await (await fetch(here("./pyodide-lock.json"))).text();
    shelf = await Shelf.of(lock);
    const kept = await shelf?.read();
    const python = await pythonWith(Object.values(JSON.parse(lock).packages), kept);
    importAll(python, !kept);
    if (shelf && !kept) setTimeout(() => shelf.write(python).catch(console.info), KEEP_AFTER);
    return python;
  } catch (error) {
    tell(`Python could not be loaded (${error.message}): reload the page to try again.`);
    await shelf?.clear().catch(console.info); // so that the next start does not depend on it
    throw error;
  }
}

async function pythonWith(packages, kept) {
  const python = await start({
    indexURL: here(PYODIDE),
    lockFileURL: here("./pyodide-lock.json"),
    stdLibURL: kept?.stdlib,
  });
  linkNewSymbolsOnly(python._module);
  python.FS.mkdirTree(SITE);
  if (kept) unpackKept(python.FS, kept);
  else {
    // Not earlier: the page comes first, and these are most of what is fetched.
    for (const wheel of fetchedWheels(packages)) {
      python.unpackArchive(await wheel, "wheel", { extractDir: SITE });
    }
  }
  for (const { name } of packages) python.loadedPackages[name] = "default channel";
  return python;
}

function importAll(python, isFirst) {
  python.runPython(`import sys; sys.path.append("${SITE}")`);
  if (isFirst) {
    python.runPython(`sys.pycache_prefix, sys.dont_write_bytecode = "${BYTECODE}", False`);
  }
  for (const [what, line] of IMPORTS) {
    tell(`Starting Python: ${what}.`);
    python.runPython(line);
  }
  tell("Python is ready.");
}

function fetchedWheels(packages) {
  let loaded = 0;
  return packages.map(async ({ name, file_name, sha256 }) => {
    const sum = btoa(String.fromCharCode(...sha256.match(/../g).map((hex) => parseInt(hex, 16))));
    const answer = await fetch(here(file_name), { integrity: `sha256-${sum}` });
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    const bytes = await answer.arrayBuffer();
    tell(`Loading Python: ${name}, ${(loaded += 1)} of ${packages.length} packages.`);
    return bytes;
  });
}

// After each library Emscripten reads the address of every symbol of all libraries, to find those
// that nothing defines: a fifth of the whole start. Only symbols that are new can be among them.
function linkNewSymbolsOnly({ GOT, GOTHandler }) {
  const { get } = GOTHandler, { entries } = Object;
  const fresh = [];
  GOTHandler.get = (weak, name) => {
    const isNew = !(name in GOT), symbol = get(weak, name);
    if (isNew) fresh.push([name, symbol]);
    return symbol;
  };
  Object.entries = (object) => (object === GOT ? fresh.splice(0) : entries(object));
}

// ---- what is kept in this browser

class Shelf {
  /** The place for what belongs to one state of the book, known by the sums of all its parts. */
  static async of(lock) {
    if (!self.caches || !crypto.subtle) return null; // a page without https
    const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(lock));
    const hex = [...new Uint8Array(sum)].map((byte) => byte.toString(16).padStart(2, "0"));
    return new Shelf(`umlbook ${here(".")} `, hex.join(""));
  }

  constructor(prefix, sum) {
    this.prefix = prefix;
    this.name = prefix + sum;
  }

  async read() {
    const isThere = await caches.has(this.name).catch(() => false);
    const cache = isThere && (await caches.open(this.name));
    const files = cache && (await cache.match(here("files"))); // written last
    if (!files) return null;
    const [pack, library] = await Promise.all(["pack", "library"].map((n) => cache.match(here(n))));
    return {
      files: await files.json(),
      pack: new Uint8Array(await pack.arrayBuffer()),
      stdlib: URL.createObjectURL(await library.blob()),
    };
  }

  async write(python) {
    const { files, parts } = packed(python.FS);
    const library = python.pyimport("umlbook._browser").compiled_library().toJs();
    python.runPython("import sys; sys.pycache_prefix, sys.dont_write_bytecode = None, True");
    await this.clear();
    const cache = await caches.open(this.name);
    await cache.put(here("pack"), new Response(new Blob(parts)));
    await cache.put(here("library"), new Response(library));
    await cache.put(here("files"), new Response(JSON.stringify(files)));
    tell("Python is ready, and will start faster next time.");
  }

  /** Forget this state of the book, and all earlier ones. */
  async clear() {
    const names = await caches.keys();
    const own = names.filter((name) => name.startsWith(this.prefix));
    await Promise.all(own.map((name) => caches.delete(name)));
  }
}

function* filesBelow(FS, folder) {
  for (const name of FS.readdir(folder)) {
    const path = `${folder}/${name}`;
    if (!FS.isDir(FS.stat(path).mode)) yield path;
    else if (name !== "." && name !== "..") yield* filesBelow(FS, path);
  }
}

function packed(FS) {
  const files = [], parts = [];
  const add = (path, bytes) => {
    files.push([path, bytes.length]);
    parts.push(bytes);
  };
  for (const path of filesBelow(FS, SITE)) if (!UNUSED.test(path)) add(path, FS.readFile(path));
  for (const path of filesBelow(FS, BYTECODE + SITE)) {
    const bytes = FS.readFile(path);
    bytes[4] = 1; // of a source that need not be looked at: it cannot have changed
    add(path.slice(BYTECODE.length).replace(/[^/]*$/, "__pycache__/$&"), bytes);
  }
  return { files, parts };
}

function unpackKept(FS, { files, pack }) {
  const folders = new Set();
  let start = 0;
  for (const [path, length] of files) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!folders.has(folder)) FS.mkdirTree(folder);
    folders.add(folder);
    FS.writeFile(path, pack.subarray(start, (start += length)), { canOwn: true });
  }
}
