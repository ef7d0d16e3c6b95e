// Types of browsers and Node. Without the types of both, such as a project with only lib es2022, they are never,
// so that the rest compiles.

type Host = typeof globalThis;

export type HostAbortSignal = Host extends { AbortSignal: { prototype: infer T } } ? T : never;
export type HostBlob = Host extends { Blob: { prototype: infer T } } ? T : never;
export type HostResponse = Host extends { Response: { prototype: infer T } } ? T : never;
export type HostURL = Host extends { URL: { prototype: infer T } } ? T : never;
export type HostModule = Host extends { WebAssembly: { Module: { prototype: infer T } } } ? T : never;
