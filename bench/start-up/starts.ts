/** Imports bundles in new processes, in turn, so that other work on the machine affects all of them. */
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chatEnvironmentVariables, lambdaNodeFlags } from '../harness/chat-bundle.ts';
import { compile } from '../harness/process.ts';
import type { Bundle } from './bundles.ts';
import type { ImportCost } from './import-process.ts';

interface StartOptions {
  file: string;
  /** True when the Node modules that Lambda's runtime uses are loaded first. */
  inLambda: boolean;
  compileCache?: string;
}

export interface StartCosts {
  bundle: Bundle;
  alone: ImportCost[];
  inLambda: ImportCost[];
  /** Imports like `inLambda`, with a compile cache. */
  cached: ImportCost[];
  cacheBytes: number;
}

export function measureStarts(bundles: readonly Bundle[], rounds: number): StartCosts[] {
  const program = compile('start-up/import-process.ts');
  const measured = bundles.map((bundle) => {
    const compileCache = fillCompileCache(program, bundle.entryFile);
    const costs: StartCosts = {
      bundle,
      alone: [],
      inLambda: [],
      cached: [],
      cacheBytes: sizeOf(compileCache),
    };
    return { compileCache, costs };
  });
  for (let round = 0; round < rounds; round += 1) {
    for (const { compileCache, costs } of measured) {
      const { entryFile } = costs.bundle;
      costs.alone.push(importInFreshProcess(program, { file: entryFile, inLambda: false }));
      costs.inLambda.push(importInFreshProcess(program, { file: entryFile, inLambda: true }));
      costs.cached.push(importInFreshProcess(program, { file: entryFile, inLambda: true, compileCache }));
    }
  }
  return measured.map(({ costs }) => costs);
}

function importInFreshProcess(program: string, { file, inLambda, compileCache }: StartOptions): ImportCost {
  const unreachable = 'http://127.0.0.1:9';
  const output = execFileSync(
    process.execPath,
    [...lambdaNodeFlags(256), program, file, inLambda ? 'in-lambda' : 'alone'],
    {
      encoding: 'utf8',
      env: {
        ...chatEnvironmentVariables({ upstream: unreachable, aws: unreachable }),
        ...(compileCache !== undefined && { NODE_COMPILE_CACHE: compileCache }),
      },
    },
  );
  return JSON.parse(output);
}

/** Fills the cache, then makes it read-only, as all files in `/var/task` are. */
function fillCompileCache(program: string, file: string): string {
  const compileCache = join(dirname(file), '.compile-cache');
  // Node writes the cache when the process exits.
  importInFreshProcess(program, { file, inLambda: true, compileCache });
  for (const path of globSync(`${compileCache}/**`)) {
    if (statSync(path).isFile()) chmodSync(path, 0o444);
  }
  return compileCache;
}

function sizeOf(directory: string): number {
  const entries = globSync(`${directory}/**`).map((path) => statSync(path));
  return entries.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0);
}
