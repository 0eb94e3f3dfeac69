/**
 * Mixed traffic for a while, and what becomes of the functions' memory: `npm run soak`.
 *
 * Takes 20 minutes, or as many as SOAK_MINUTES says. Exits with 1 when a request was lost or counted twice, or anything
 * else is wrong; what memory may do is for the reader to judge.
 */
import { isGood, tableHead, tableRow } from './fault-table.ts';
import { startFaultEnvironment } from './harness/fault-environment.ts';
import { runScene } from './run-scene.ts';
import { startSampling } from './soak/memory-samples.ts';
import { memoryTable } from './soak/memory-table.ts';
import { runMixedTraffic, type Tally } from './soak/mixed-traffic.ts';

const minutes = Number(process.env.SOAK_MINUTES ?? 20);
const mark = 'soak';

await using world = await startFaultEnvironment();
const memory = await startSampling();
let tally: Tally = new Map();
const row = await runScene(world, {
  form: 'long',
  scene: {
    fault: `none, for ${minutes} minutes`,
    mark,
    requests: { short: 0, long: 0 },
    async run(stage) {
      tally = await runMixedTraffic(stage, { mark, untilMs: Date.now() + minutes * 60_000 });
      await memory.stop();
    },
  },
});
console.log(memoryTable(memory));
console.log(`${tableHead}\n${tableRow(row)}\n`);
console.log([...tally].map(([what, count]) => `${what}: ${count}`).join(', '));
for (const text of row.wrong) console.log(text);
if (!isGood(row)) process.exitCode = 1;
