/**
 * The fault suite in its long form: `npm run test:faults`, or `npm run test:faults -- slow refused` for the rows with
 * these marks.
 *
 * Prints each fault's row as it ends, and writes the table to `fault-table.md` in the folder for temporary files. Exits
 * with 1 when a request was lost or counted twice, or anything else is wrong.
 */
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGood, sumRow, tableHead, tableRow } from './fault-table.ts';
import { startFaultWorld } from './harness/fault-world.ts';
import { createOperator } from './harness/operator.ts';
import { type Row, runScene } from './run-scene.ts';
import { allScenes } from './scenes/all-scenes.ts';
import { impatience } from './scenes/impatience.ts';

const form = process.env.FAULTS === 'short' ? 'short' : 'long';
const marks = process.argv.slice(2);
const scenes = allScenes.filter(({ mark }) => marks.length === 0 || marks.includes(mark));

const world = await startFaultWorld(impatience);
const operator = createOperator(world.gateway);
await operator.setProviderKey('sk-0');
const rows: Row[] = [];
console.log(tableHead);
for (const scene of scenes) {
  const row = await runScene(world, operator, { scene, form });
  rows.push(row);
  console.log(tableRow(row));
  for (const text of row.wrong.slice(0, 10)) console.error(`  ${text}`);
}
const all = sumRow(rows);
console.log(tableRow(all));
operator.stop();
await world.stop();

const file = join(tmpdir(), 'fault-table.md');
await writeFile(file, `${[tableHead, ...[...rows, all].map(tableRow)].join('\n')}\n`);
console.error(`The table is in ${file}`);
if (!rows.every(isGood)) process.exitCode = 1;
