/** Some of the faults under a few requests, or in the long form all of them under many. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testForm } from '#test/support/test-form.ts';
import { sumRow, tableHead, tableRow } from './fault-table.ts';
import { type FaultEnvironment, startFaultEnvironment } from './harness/fault-environment.ts';
import { type Row, runScene } from './run-scene.ts';
import { allScenes } from './scenes/all-scenes.ts';

const scenes = allScenes.filter(({ requests }) => testForm === 'long' || requests.short !== undefined);
const rows: Row[] = [];

describe('every request that reached a provider has one entry, and costs are their sum, when', () => {
  let world: FaultEnvironment;
  beforeAll(async () => {
    world = await startFaultEnvironment();
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    if (testForm === 'long')
      console.log([tableHead, ...rows.map(tableRow), tableRow(sumRow(rows))].join('\n'));
  });

  it.each(scenes.map((scene) => [scene.fault, scene] as const))('%s', async (_fault, scene) => {
    const row = await runScene(world, { scene, form: testForm });
    rows.push(row);
    const { received, entries, lost, doubled, wrong } = row;
    expect({ lost, doubled, wrong }).toEqual({ lost: 0, doubled: 0, wrong: [] });
    expect(entries).toBe(received);
    expect(received).toBeGreaterThan(0);
  });
});
