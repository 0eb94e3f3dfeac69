/** The short form of the fault suite: each fault under a few requests. `npm run test:faults` is the long one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultWorld, startFaultWorld } from './harness/fault-world.ts';
import { runScene } from './run-scene.ts';
import { allScenes } from './scenes/all-scenes.ts';

describe('every request that reached a provider has one entry, and costs are their sum, when', {
  timeout: 120_000,
}, () => {
  let world: FaultWorld;
  beforeAll(async () => {
    world = await startFaultWorld('on a file');
  }, 60_000);
  afterAll(() => world[Symbol.asyncDispose]());

  it.each(allScenes.map((scene) => [scene.fault, scene] as const))('%s', async (_fault, scene) => {
    const { received, entries, lost, doubled, wrong } = await runScene(world, {
      scene,
      form: 'short',
    });
    expect({ lost, doubled, wrong }).toEqual({ lost: 0, doubled: 0, wrong: [] });
    expect(entries).toBe(received);
    expect(received).toBeGreaterThan(0);
  });
});
