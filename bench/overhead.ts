/**
 * What the gateway adds to a call of the provider, against a minimal pipe and a peer: `npm run bench`.
 *
 * The function is the bundle as it is deployed, with authentication, the line before each request, pricing and the log
 * write, behind a server that makes events of requests. All contenders take turns, and each process counts its own CPU;
 * so figures compare within a run. Prints one table on standard output, and fails nothing. The number of rounds is the
 * argument; 7, where there is none, take six minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesizeGateway } from '#test/lib/synthesized-gateway.ts';
import { busyMillionUsd } from './cost/chat-tables.ts';
import { readSetup, type Template } from './cost/setup.ts';
import { startContenders } from './overhead/contenders.ts';
import { measureAll } from './overhead/measure.ts';
import { type Elsewhere, overheadTable } from './overhead/table.ts';
import { percentile } from './shared/percentile.ts';
import { fillCompileCache } from './start-up/compile-cache.ts';
import { buildStarter, measureInTurn } from './start-up/measure.ts';
import { buildDeployed } from './start-up/variants.ts';

const rounds = Number(process.argv[2] ?? 7);
const setup = readSetup(synthesizeGateway().template.toJSON() as Template);
const elsewhere: Elsewhere = { ...measureStartUp(), millionUsd: busyMillionUsd(setup) };
const contenders = await startContenders();
try {
  console.log(overheadTable(await measureAll(contenders, rounds), elsewhere));
} finally {
  await contenders.stop();
}

function measureStartUp() {
  const directory = mkdtempSync(join(tmpdir(), 'bench-overhead-'));
  try {
    const { variant } = buildDeployed(directory);
    const start = buildStarter(directory);
    const starts = [
      { file: variant.file, inLambda: false, compileCache: null },
      { file: variant.file, inLambda: true, compileCache: null },
      { file: variant.file, inLambda: true, compileCache: fillCompileCache(start, variant.file) },
    ];
    const [importMs = 0, importInLambdaMs = 0, importCachedMs = 0] = measureInTurn(
      start,
      starts,
      3 * rounds,
    ).map((costs) =>
      percentile(
        costs.map(({ ms }) => ms),
        0.5,
      ),
    );
    const { readBytes, wholeBytes } = variant;
    return { readBytes, wholeBytes, importMs, importInLambdaMs, importCachedMs };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
