/**
 * Measures the overhead of the gateway over a direct provider call, compared with a baseline and a competitor:
 * `npm run bench`.
 *
 * Runs the deployed bundle with everything that a request involves: authentication, the request log line, pricing and the
 * log write. The implementations run in turn and each process reports its own CPU time, so figures are comparable within
 * a run. Prints a table, another one for keys with hard budgets or rate limits, their write units, one for requests that
 * are forwarded byte for byte, and one for requests that are translated.
 * The argument is the number of rounds; the default of 7 takes about ten minutes.
 */
import { startEnvironment } from './harness/environment.ts';
import { startImplementations } from './overhead/implementations.ts';
import { limitTables, measureLimits } from './overhead/limits.ts';
import { measureOverheads } from './overhead/measure.ts';
import { measureNative, nativeTable } from './overhead/native.ts';
import { overheadTable } from './overhead/table.ts';
import { measureTranslated, translatedTable } from './overhead/translated.ts';

const rounds = Number(process.argv[2] ?? 7);

const environment = await startEnvironment();
const implementations = await startImplementations(environment);
try {
  console.log(overheadTable(await measureOverheads(environment, implementations, rounds)));
  console.log(await limitTables(await measureLimits(environment, rounds)));
  console.log(nativeTable(await measureNative(environment, rounds)));
  console.log(translatedTable(await measureTranslated(environment, rounds)));
} finally {
  await Promise.all(implementations.map((implementation) => implementation.process.stop()));
  await environment.stop();
}
