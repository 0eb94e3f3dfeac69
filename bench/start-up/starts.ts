/** Imports bundles in fresh processes, in turn, so that other work on the machine affects all of them. */
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chatEnvironment, lambdaFlags } from '../harness/chat-bundle.ts';
import { median } from '../harness/figures.ts';
import { compile } from '../harness/process.ts';
import { type Bundle, buildBundle } from './bundles.ts';
import type { ImportCost } from './import-process.ts';

interface Start {
  file: string;
  /** Whether Node's modules that Lambda's runtime uses are loaded before. */
  inLambda: boolean;
  /** The directory of V8's compile cache. */
  compileCache?: string;
}

export interface StartCosts {
  bundle: Bundle;
  alone: ImportCost[];
  inLambda: ImportCost[];
  /** In Lambda, with a compile cache. */
  cached: ImportCost[];
  cacheBytes: number;
}

export function measureStarts(bundles: readonly Bundle[], rounds: number): StartCosts[] {
  const program = compile('start-up/import-process.ts');
  const measured = bundles.map((bundle) => {
    const compileCache = fillCompileCache(program, bundle.file);
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
      const { file } = costs.bundle;
      costs.alone.push(start(program, { file, inLambda: false }));
      costs.inLambda.push(start(program, { file, inLambda: true }));
      costs.cached.push(start(program, { file, inLambda: true, compileCache }));
    }
  }
  return measured.map(({ costs }) => costs);
}

/** The bundle as it is deployed, with median times. */
export function measureDeployed(rounds: number) {
  const { bundle } = buildBundle('as deployed', {});
  const { alone = [], inLambda = [], cached = [] } = measureStarts([bundle], rounds)[0] ?? {};
  const medianMs = (costs: ImportCost[]) => median(costs.map(({ ms }) => ms));
  return {
    readBytes: bundle.readBytes,
    wholeBytes: bundle.wholeBytes,
    importMs: medianMs(alone),
    importInLambdaMs: medianMs(inLambda),
    importCachedMs: medianMs(cached),
  };
}

function start(program: string, { file, inLambda, compileCache }: Start): ImportCost {
  const unreachable = 'http://127.0.0.1:9';
  const output = execFileSync(
    process.execPath,
    [...lambdaFlags(256), program, file, inLambda ? 'in-lambda' : 'alone'],
    {
      encoding: 'utf8',
      env: {
        ...chatEnvironment({ upstream: unreachable, aws: unreachable }),
        ...(compileCache !== undefined && { NODE_COMPILE_CACHE: compileCache }),
      },
    },
  );
  return JSON.parse(output);
}

/** Read-only once it is filled, as everything in `/var/task` is. */
function fillCompileCache(program: string, file: string): string {
  const compileCache = join(dirname(file), '.compile-cache');
  // Node writes the cache when the process exits.
  start(program, { file, inLambda: true, compileCache });
  for (const path of globSync(`${compileCache}/**`)) {
    if (statSync(path).isFile()) chmodSync(path, 0o444);
  }
  return compileCache;
}

function sizeOf(directory: string): number {
  const entries = globSync(`${directory}/**`).map((path) => statSync(path));
  return entries.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0);
}
