/**
 * What logs and costs take to read and to write, on the embedded engine: `npm run bench:reports`.
 *
 * Read and write units are the engine's, which counts as DynamoDB does, and do not depend on the machine; times do.
 * Prints the tables of `docs/reports.md` on standard output, progress on standard error; takes about ten minutes.
 */
import { startReportHarness } from '#test/support/report-harness.ts';
import { meterCapacity } from './reports/capacity-meter.ts';
import { makeDataset } from './reports/dataset.ts';
import { fill } from './reports/fill.ts';
import { readTable } from './reports/reads.ts';
import { rollupTable } from './reports/rollups.ts';
import { writeTable } from './reports/writes.ts';

const entries = Number(process.argv[2] ?? 200_000);

const harness = await startReportHarness();
const meter = meterCapacity(harness.database.client);
const dataset = await makeDataset(harness, entries);
const filling = await fill(harness, meter, dataset);

console.log(await readTable(harness, meter, dataset));
console.log(await writeTable(harness, meter));
console.log(await rollupTable(harness, meter, filling));

await harness.stop();
