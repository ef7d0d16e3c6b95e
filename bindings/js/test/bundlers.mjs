// Builds the application in the folder app with bundlers, by the commands of docs/javascript.md, and runs
// each bundle in Chromium.

import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";

// The bundlers. In "esbuild-script", the bundle is a classic script; in "esbuild-node", it is a program of Node. In
// "vite-server" and "vite-7-server", the development server of Vite serves the application. The packages of the cheap ones are the
// dependencies of the application; the others are its devDependencies.
export const cheap = ["esbuild", "esbuild-script", "esbuild-node", "rollup"];
export const bundlers = [...cheap, "vite", "vite-server", "vite-7-server", "parcel", "webpack"];

// Commands that docs/javascript.md describes in words.
const described = {
  "esbuild-script": "esbuild script.js --bundle --format=iife --outfile=dist/app.js && mkdir dist/files && cp node_modules/inpoly/inpoly* dist/files",
  "esbuild-node": "esbuild program.js --bundle --platform=node --packages=external --format=esm --outfile=dist/index.mjs",
};

// Packages of development servers, and whether they need the setting of docs/javascript.md.
const servers = { "vite-server": { name: "vite", setting: false }, "vite-7-server": { name: "vite-7", setting: true } };

// Parcel writes an inline script with the addresses of files.
const policies = { parcel: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'unsafe-inline'" };

// Bundles the application in the folder app, which has node_modules, and runs it in a browser (browser.mjs).
// Returns the number of failures.
export async function testBundlers(names, app, guide, browser, log) {
  const text = readFileSync(guide, "utf8");
  const commands = new Map([...text.matchAll(/^npx (\w+) .*$/gm)].map(([line, name]) => [name, line.slice(4)]));
  // Two packages have a command vite.
  mkdirSync(join(app, "bin"));
  symlinkSync(join(app, "node_modules/vite/bin/vite.js"), join(app, "bin/vite"));
  const path = [join(app, "bin"), join(app, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const env = { ...process.env, NO_COLOR: "1", PATH: path };
  let failed = 0;
  for (const name of names) {
    const say = (line) => log(`${name}: ${line}`);
    try {
      const server = servers[name];
      const folder = !server && build(name, described[name] ?? commands.get(name), app, env);
      if (name === "esbuild-node") {
        await import(pathToFileURL(join(folder, "index.mjs")));
        say("ok");
      } else if (server) failed += await serveWithVite(app, server, text, env, browser, say);
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

async function serveWithVite(app, { name, setting }, text, env, browser, say) {
  const config = join(app, "vite.config.mjs");
  if (setting) writeFileSync(config, /^```js config\n([^]*?)^```/m.exec(text)[1]);
  const server = spawn(process.execPath, [`node_modules/${name}/bin/vite.js`, "--host", "127.0.0.1"], { cwd: app, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const address = await new Promise((resolve, reject) => {
      let printed = "";
      server.stdout.on("data", (data) => {
        printed += data;
        const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(printed);
        if (found) resolve(found[0]);
      });
      server.on("exit", (code) => reject(new Error(`Vite has ended with the code ${code}: ${printed}`)));
    });
    return await browser.run({ folder: app, address }, say);
  } finally {
    server.kill();
    rmSync(config, { force: true });
  }
}

// Copies the package to the application.
export function addPackage(installed, app) {
  cpSync(installed, join(app, "node_modules/inpoly"), { recursive: true });
}
