/** What may happen around a rebuild, drawn from a seed, until it is over and all has been counted. */
import { createRebuildStore } from '#lambdas/costs/repair/rebuild-state.ts';
import { beginRebuild, goOnWithReading, goOnWithRebuild, watch } from './play-rebuild.ts';
import { endRepricing, goOnWithReprice } from './play-reprice.ts';
import {
  goOnWithStream,
  land,
  raise,
  replacePlaceholder,
  settleStreams,
  timeOutInvocation,
  write,
} from './play-requests.ts';
import { costRollupsOf, isRunning, type Play } from './play-state.ts';
import { advance, passDay, passTime } from './play-time.ts';
import { put } from './rebuild-world.ts';

const events = {
  write: { weight: 6, happen: write },
  land: { weight: 6, happen: land },
  replace: { weight: 2, happen: replacePlaceholder },
  stream: { weight: 14, happen: goOnWithStream },
  timeOut: { weight: 1, happen: timeOutInvocation },
  rebuild: { weight: 22, happen: goOnWithRebuild },
  read: { weight: 5, happen: goOnWithReading },
  reprice: { weight: 3, happen: goOnWithReprice },
  raise: { weight: 1, happen: raise },
  time: { weight: 7, happen: passTime },
  day: { weight: 1, happen: passDay },
};

export async function playEvents(play: Play, count: number): Promise<void> {
  const hat = Object.entries(events).flatMap(([name, { weight }]) => Array<string>(weight).fill(name));
  for (let index = 0; index < count; index += 1) {
    const name = play.random.pick(hat) as keyof typeof events;
    await events[name].happen(play);
  }
}

/** Lets everything come to its end, without further mishaps. At least one rebuild is made. */
export async function playToTheEnd(play: Play): Promise<void> {
  const { world } = play;
  for (const reading of play.readings) if (isRunning(reading)) await reading.run.finish();
  for (const stored of world.writes.splice(0)) await put(world, stored);
  if (play.reprice !== null) await endRepricing(play, play.reprice);
  await settleStreams(world);
  do {
    if (!play.rebuilds.some(isRunning)) await beginRebuild(play);
    for (const { run, timers } of play.rebuilds) {
      while (isRunning({ run }) && timers.length === 0) await run.step(0, 'answered');
    }
    await watch(play);
    if (play.rebuilds.some(isRunning)) await advance(play, 30_000);
    else if (!(await isOver(play))) await passDay(play);
  } while (play.rebuilds.some(isRunning) || !(await isOver(play)));
  await settleStreams(world);
}

async function isOver({ world }: Play): Promise<boolean> {
  const store = createRebuildStore(costRollupsOf(world), world.organizationId);
  const { rebuild, discards, generation } = await store.find();
  return rebuild === null && discards.length === 0 && generation > 0;
}
