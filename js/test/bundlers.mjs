// Builds the application in the folder app with bundlers, by the commands of docs/javascript.md, and runs
// each bundle in Chromium.

import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";

// The bundlers. In "esbuild-script", the bundle is a classic script; in "esbuild-node", it is a program of Node; and in
// "vite-server", the development server of Vite serves the application. The packages of the cheap ones are the
// dependencies of the application; the others are its devDependencies.
export const cheap = ["esbuild", "esbuild-script", "esbuild-node", "rollup"];
export const bundlers = [...cheap, "vite", "vite-server", "parcel", "webpack"];

// Commands that docs/javascript.md describes in words.
const described = {
  "esbuild-script": "esbuild script.js --bundle --format=iife --outfile=dist/app.js && mkdir dist/files && cp node_modules/inpoly/inpoly* dist/files",
  "esbuild-node": "esbuild program.js --bundle --platform=node --packages=external --format=esm --outfile=dist/index.mjs",
};

// Parcel writes an inline script with the addresses of files.
const policies = { parcel: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'unsafe-inline'" };

// Bundles the application in the folder app, which has node_modules, and runs it in a browser (browser.mjs).
// Returns the number of failures.
export async function testBundlers(names, app, guide, browser, log) {
  const commands = new Map([...readFileSync(guide, "utf8").matchAll(/^npx (\w+) .*$/gm)].map(([line, name]) => [name, line.slice(4)]));
  const env = { ...process.env, NO_COLOR: "1", PATH: join(app, "node_modules/.bin") + delimiter + process.env.PATH };
  let failed = 0;
  for (const name of names) {
    const say = (line) => log(`${name}: ${line}`);
    try {
      const folder = name !== "vite-server" && build(name, described[name] ?? commands.get(name), app, env);
      if (name === "esbuild-node") {
        await import(pathToFileURL(join(folder, "index.mjs")));
        say("ok");
      } else if (name === "vite-server") failed += await serveWithVite(app, env, browser, say);
      else failed += await browser.run({ folder, path: "/index.html", policy: policies[name] }, say);
    } catch (error) {
      say(`not ok: ${error.message}`);
      failed++;
    }
  }
  return failed;
}

// Returns the folder of the bundle and its page.
function build(name, command, app, env) {
  if (!command) throw new Error("docs/javascript.md has no command for it");
  const out = join(app, "dist");
  rmSync(out, { recursive: true, force: true });
  const { status, stdout, stderr } = spawnSync("sh", ["-ec", command], { cwd: app, env, encoding: "utf8", timeout: 600e3 });
  if (status !== 0) throw new Error(`${command}: exit code ${status}\n${stdout}${stderr}`);
  if (!existsSync(join(out, "index.html"))) {
    const page = readFileSync(join(app, "index.html"), "utf8");
    const script = existsSync(join(out, "main.js")) ? "main.js" : "app.js";
    const type = name === "esbuild-script" ? "" : ' type="module"';
    writeFileSync(join(out, "index.html"), page.replace(' type="module" src="./app.js"', `${type} src="./${script}"`));
  }
  renameSync(out, join(app, `dist-${name}`));
  return join(app, `dist-${name}`);
}

async function serveWithVite(app, env, browser, say) {
  const server = spawn(process.execPath, ["node_modules/vite/bin/vite.js", "--host", "127.0.0.1"], { cwd: app, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const address = await new Promise((resolve, reject) => {
      let text = "";
      server.stdout.on("data", (data) => {
        text += data;
        const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(text);
        if (found) resolve(found[0]);
      });
      server.on("exit", (code) => reject(new Error(`Vite has ended with the code ${code}: ${text}`)));
    });
    return await browser.run({ folder: app, address }, say);
  } finally {
    server.kill();
  }
}

// Copies the package to the application.
export function addPackage(installed, app) {
  cpSync(installed, join(app, "node_modules/inpoly"), { recursive: true });
}
