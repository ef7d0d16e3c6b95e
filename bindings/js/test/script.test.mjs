// The script that joins the modules of a worker.

import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const { script } = await import(pathToFileURL(join(process.env.INPOLY_ROOT, "bindings/js/build/script.mjs")));
const joined = (modules) => script("main.js", (name) => modules[name]);

test("a script of modules", () => {
  const result = { out: [] };
  vm.runInNewContext(joined({
    "main.js": 'import * as all from "./a.js";\nimport { f as first, C } from "./b.js";\nconst x = 1;\nout.push(x, all.x, all.f(), first(), new C().y);\n',
    "a.js": 'import { C } from "./b.js";\nexport const x = 2;\nexport function f() {\n  return new C().y + x;\n}\n',
    "b.js": "out.push('once');\nconst x = 3;\nexport class C {\n  y = x;\n}\nexport async function g() {}\nexport function f() {\n  return [typeof g, typeof C].join();\n}\n",
  }), result);
  if (result.out.join(" ") !== "once 1 2 5 function,function 3") throw new Error(result.out.join(" "));
});

test("modules that are no script", () => {
  for (const [modules, message] of [
    [{ "main.js": 'import "./a.js";\n' }, /main\.js: a script cannot have: import "/],
    [{ "main.js": 'import fs from "node:fs";\n' }, /cannot have: import fs/],
    [{ "main.js": "export default 3;\n" }, /cannot have: export default/],
    [{ "main.js": "const x = 1;\nexport { x };\n" }, /cannot have: export \{/],
    [{ "main.js": 'new URL("a", import.meta.url);\n' }, /cannot have: import\.meta/],
    [{ "main.js": 'import { a } from "./a.js";\n', "a.js": 'import { b } from "./main.js";\nexport const a = 1;\n' }, /main\.js imports a\.js imports main\.js/],
  ]) {
    let error;
    try {
      joined(modules);
    } catch (e) {
      error = e;
    }
    if (!message.test(error?.message)) throw new Error(`${modules["main.js"]}: ${error}, want ${message}`);
  }
});
