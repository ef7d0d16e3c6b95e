import type { HostAbortSignal, HostBlob, HostURL } from "./host.js";
import type { Settings } from "./index.js";

export { InpolyError } from "./index.js";

/** The content of a file. A string is a path in Node, and a URL in browsers. */
export type Content = ArrayBuffer | ArrayBufferView | HostBlob | HostURL | string;

export interface RunOptions {
  /** Ends the run at once. The promise rejects with signal.reason. */
  signal?: HostAbortSignal;
  /** Called about ten times a second while a file is read. done and total are bytes of the file. */
  onProgress?: (progress: { stage: "reading"; name: string; done: number; total: number }) => void;
}

export interface RunResult {
  /** The exit code of the command. 0: done; 1: error of input or output; 2: wrong usage; 3: refused by
   * --strict or --expect. */
  code: number;
  stdout: string;
  stderr: string;
  /** The files that the command has written, by name. */
  files: Record<string, HostBlob>;
}

/** Runs the command inpoly in a worker. args are its arguments, without the name of the command. files maps
 * names to contents; the command sees these files alone. A name can have folders: "scene/part.stl".
 *
 * A failure of the command is a result with another exit code than 0. The promise rejects with an InpolyError
 * if an argument has the wrong type or stdout would be binary ("argument"), a path or URL cannot be read
 * ("file"), the module or the worker cannot be loaded ("load"), the memory of WebAssembly is full ("memory"),
 * or the command crashes ("internal"). */
export function run(args: readonly string[], files?: Record<string, Content>, options?: RunOptions): Promise<RunResult>;

/** Sets where the module and the worker of later runs come from. wasm can be packed with gzip. Default:
 * command.wasm.gz and command-worker.js beside the scripts. */
export function configure(settings: Settings): void;
