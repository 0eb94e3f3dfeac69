/** Starts processes one after the other, the variants in turn, so that a slow moment of the machine meets them all. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { chatEnvironment } from '../shared/chat-bundle.ts';
import { lambdaFlags } from '../shared/lambda-flags.ts';
import type { ImportCost } from './import-process.ts';

export interface Start {
  file: string;
  /** Whether Lambda's runtime has loaded its own modules before. */
  inLambda: boolean;
  /** The folder of V8's compile cache; `null` without one. */
  compileCache: string | null;
}

/** As JavaScript: Node would load its translator into a process that is to be as small as the function's. */
export function buildStarter(directory: string): Starter {
  const program = join(directory, 'import-process.mjs');
  buildSync({
    entryPoints: [join(import.meta.dirname, 'import-process.ts')],
    outfile: program,
    target: 'node24',
  });
  return (start) => startOnce(program, start);
}

export type Starter = (start: Start) => ImportCost;

function startOnce(program: string, { file, inLambda, compileCache }: Start): ImportCost {
  const nowhere = 'http://127.0.0.1:9';
  const output = execFileSync(
    process.execPath,
    [...lambdaFlags(256), program, file, inLambda ? 'as-in-lambda' : 'alone'],
    {
      encoding: 'utf8',
      env: {
        ...chatEnvironment({ upstream: nowhere, aws: nowhere }),
        ...(compileCache !== null && { NODE_COMPILE_CACHE: compileCache }),
      },
    },
  );
  return JSON.parse(output);
}

/** In the order of the starts. */
export function measureInTurn(start: Starter, starts: readonly Start[], rounds: number): ImportCost[][] {
  const costs = starts.map((): ImportCost[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, one] of starts.entries()) costs[index]?.push(start(one));
  }
  return costs;
}
