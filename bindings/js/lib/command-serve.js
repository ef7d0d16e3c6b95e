// The program of the workers of inpoly/command.

import { InpolyError, isFull } from "./errors.js";
import { runProgram } from "./program.js";

// Returns the function that handles the message of a job. post(message) sends a message back, and
// prepare(content) returns the promise of an input of Files.
export function serveCommand(post, prepare) {
  return async ({ module, args, inputs }) => {
    try {
      const given = await Promise.all(inputs.map(async ([name, content]) => [name, await prepare(content)]));
      const { code, stdout, stderr, binary, outputs, crashed } = await runProgram(module, args, given, (name, done, total) => {
        post({ moved: { name, done, total } });
      });
      if (crashed) throw new Error(`the command has ended with the code ${code}: ${stderr}`);
      if (binary) throw new InpolyError("argument", "the standard output is not text in UTF-8: write it to a file with --out");
      post({ result: { code, stdout, stderr, files: outputs } });
    } catch (error) {
      post({ error: plain(error) });
    }
  };
}

// The code and the message of an error. wasm_exec.js limits the length of the arguments.
function plain(error) {
  const { code, message } = error;
  if (error instanceof InpolyError) return { code, message };
  if (isFull(message)) return { code: "memory", message: "the memory of WebAssembly is full" };
  if (/command line .* exceeds limit/.test(message)) return { code: "argument", message: "the arguments are too long" };
  return { code: "internal", message };
}
