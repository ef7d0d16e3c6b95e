// Pages in headless Chromium, which post their results.

import { spawn } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome", "chrome"];

// Starts Chromium. Returns undefined if it is missing.
export function startBrowser() {
  const chromium = find();
  if (!chromium) return undefined;
  const profile = mkdtempSync(join(tmpdir(), "inpoly-chromium-"));
  const child = spawn(chromium, [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run", "--remote-debugging-pipe",
    `--user-data-dir=${profile}`,
  ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  let over = false;
  const ended = new Promise((resolve) => child.on("exit", resolve)).then(() => { over = true; });
  return {
    // Opens a page and returns the number of its failed cases. A page is at path of the server of serve, or at
    // address, and posts its results to the address in its parameter report.
    async run({ path, address, ...site }, log) {
      const server = await serve(site);
      const timer = setTimeout(() => child.kill("SIGKILL"), 900e3);
      try {
        const origin = `http://127.0.0.1:${server.port}`;
        openPage(child, `${address ?? origin + path}?report=${origin}/result`);
        return await server.report(log, ended, () => over);
      } finally {
        clearTimeout(timer);
        server.close();
      }
    },
    async close() {
      child.kill();
      await ended;
      for (let tries = 0; tries < 40; tries++) {
        try {
          return rmSync(profile, { recursive: true, force: true });
        } catch { // helper processes of Chromium still write
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
      }
    },
  };
}

function find() {
  for (const folder of (process.env.PATH ?? "").split(":")) {
    for (const name of names) if (existsSync(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

let opened = 0;

// Opens a page by the DevTools protocol, through the pipes 3 and 4. Each message ends with a zero byte.
function openPage(child, url) {
  const [, , , input, output] = child.stdio;
  input.on("error", () => {}); // Chromium has ended
  input.write(`${JSON.stringify({ id: ++opened, method: "Target.createTarget", params: { url } })}\0`);
  output.resume();
}

const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

const strict = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

// Serves the folder with a Content Security Policy, and files: an object from paths to paths on the disk. Gets the
// results of the page: one POST for each case, and one at the end.
async function serve({ folder, files = {}, policy = strict }) {
  const results = [];
  let changed = () => {};
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://x").pathname);
    if (request.method === "POST") {
      let body = "";
      request.on("data", (text) => (body += text));
      request.on("end", () => {
        results.push(JSON.parse(body));
        response.end();
        changed();
      });
      return;
    }
    const file = files[path] ?? join(folder, path);
    response.setHeader("Content-Type", types[extname(path)] ?? "application/octet-stream");
    response.setHeader("Content-Security-Policy", policy);
    if (!existsSync(file) || statSync(file).isDirectory()) response.statusCode = 404;
    if (response.statusCode === 404) response.end();
    else createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const report = async (log, ended, over) => {
    let failed = 0;
    ended.then(() => changed());
    for (;;) {
      while (results.length === 0 && !over()) await new Promise((resolve) => (changed = resolve));
      const r = results.shift();
      if (!r) {
        log("not ok: Chromium has ended before the tests, or did not end within 15 minutes");
        return failed + 1;
      }
      if (r.end) return failed;
      log(`${r.error ? "not ok" : "ok"}: ${r.name}${r.error ? `\n${r.error}` : ""}`);
      if (r.error) failed++;
    }
  };
  const close = () => {
    server.close();
    server.closeAllConnections?.();
  };
  return { port: server.address().port, report, close };
}
