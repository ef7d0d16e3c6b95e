// Runs cases.mjs in headless Chromium: node browser.mjs FOLDER, where FOLDER has node_modules/inpoly and
// test. Skips, and says so, if Chromium is missing.

import { spawn } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome", "chrome"];

export async function testBrowser(folder, knot, log) {
  const chromium = find();
  if (!chromium) {
    log("skipped: Chromium is missing");
    return 0;
  }
  const server = await serve(folder, knot);
  const profile = mkdtempSync(join(tmpdir(), "inpoly-chromium-"));
  const child = spawn(chromium, [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run", "--remote-debugging-pipe",
    `--user-data-dir=${profile}`,
  ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const timer = setTimeout(() => child.kill("SIGKILL"), 900e3);
  try {
    openPage(child, `http://127.0.0.1:${server.port}/test/browser.html`);
    return await server.report(log, ended);
  } finally {
    clearTimeout(timer);
    child.kill();
    await ended;
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

function find() {
  for (const folder of (process.env.PATH ?? "").split(":")) {
    for (const name of names) if (existsSync(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

// Opens a page by the DevTools protocol, through the pipes 3 and 4. Each message ends with a zero byte.
function openPage(child, url) {
  const [, , , input, output] = child.stdio;
  input.on("error", () => {}); // Chromium has ended
  input.write(`${JSON.stringify({ id: 1, method: "Target.createTarget", params: { url } })}\0`);
  output.resume();
}

const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

// Serves the folder and gets the results of the page: one POST for each case, and one at the end.
async function serve(folder, knot) {
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
    const file = path === "/knot.stl" ? knot : join(folder, path);
    response.setHeader("Content-Type", types[extname(path)] ?? "application/octet-stream");
    response.setHeader("Content-Security-Policy", "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'");
    if (!existsSync(file)) response.statusCode = 404;
    if (response.statusCode === 404) response.end();
    else createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const report = async (log, ended) => {
    let failed = 0;
    let over = false;
    ended.then(() => {
      over = true;
      changed();
    });
    for (;;) {
      while (results.length === 0 && !over) await new Promise((resolve) => (changed = resolve));
      const r = results.shift();
      if (!r) {
        log("not ok: Chromium has ended before the tests, or did not end within 3 minutes");
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
