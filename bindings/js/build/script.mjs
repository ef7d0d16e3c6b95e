// Joins ES modules to one script without imports, which runs as a module and as a classic script. So the
// scripts of workers need no other file, wherever they are copied.

const importing = /^import (?:\{ (.+) \}|\* as (\w+)) from "\.\/([\w-]+\.js)";$/gm;
const exporting = /^export (?=(?:async )?(?:function|class|const|let) (\w+))/gm;

// Returns the script of the module entry. read(name) returns the text of a module. The modules may use
// imports from "./NAME.js", and exports of declarations. Everything else is refused.
export function script(entry, read) {
  const done = new Set();
  const parts = [];
  add(entry, []);
  return `"use strict";\n${parts.join("\n")}`;

  function add(name, path) {
    if (path.includes(name)) throw new Error(`${[...path, name].join(" imports ")}`);
    if (done.has(name)) return;
    const names = [];
    const text = read(name)
      .replace(importing, (_, list, whole, from) => {
        add(from, [...path, name]);
        return whole ? `const ${whole} = ${variable(from)};` : `const { ${list.replaceAll(" as ", ": ")} } = ${variable(from)};`;
      })
      .replace(exporting, (_, exported) => {
        names.push(exported);
        return "";
      });
    const left = /^(?:import|export)\b.*|\bimport\.meta\b.*/m.exec(text);
    if (left) throw new Error(`${name}: a script cannot have: ${left[0]}`);
    done.add(name);
    parts.push(`// ${name}\nconst ${variable(name)} = (() => {\n${text.trimEnd()}\n${names.length > 0 ? `return { ${names.join(", ")} };\n` : ""}})();\n`);
  }
}

// A module is the result of a function, so equal names of two modules do not meet.
function variable(name) {
  return `module_${name.replace(/\W/g, "_")}`;
}
