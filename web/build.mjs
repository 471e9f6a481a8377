// Bundles the page's script and look into the Python package.
import { readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const licence = (await readFile(here("node_modules/uplot/LICENSE"), "utf8")).trim();
const output = here("../src/weaklink/show/renderers/built");

await rm(output, { recursive: true, force: true });
await build({
  entryPoints: { page: here("src/main.js") },
  outdir: output,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome109", "firefox115", "safari16"],
  charset: "ascii",
  banner: { js: `/*! Holds uPlot.\n${licence.replaceAll("*/", "")}\n*/` },
  logLevel: "warning",
});
