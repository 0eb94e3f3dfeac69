/** Faults of the provider. */
import { plainAndStreamed } from '../harness/callers.ts';
import type { Behaviour } from '../harness/counting-provider.ts';
import {
  garbage,
  halfBodies,
  oneOf,
  overloadedAtFirst,
  resets,
  resetsMidStream,
  stallsBeforeHeaders,
  stallsMidStream,
  takesItsTime,
  talksMuch,
  wantsKey,
  well,
} from '../harness/provider-answers.ts';
import type { Random } from '../harness/random.ts';
import type { Effects, Scene } from '../scene.ts';

const nextKey = 'sk-next';

export const providerScenes: readonly Scene[] = [
  {
    fault: 'the provider resets connections, before its answer and amidst it',
    mark: 'resets',
    requests: { long: 2000 },
    isFelt: ({ retries, outcomes }) => retries > 0 && (outcomes.provider_error ?? 0) > 0,
    run: answering((random) => oneOf(random, [resets, resetsMidStream, well])),
  },
  {
    fault: 'the provider sends half bodies and garbage',
    mark: 'garbage',
    requests: { long: 2000 },
    isFelt: ({ outcomes }) => (outcomes.provider_error ?? 0) > 0,
    run: answering((random) => oneOf(random, [halfBodies, garbage(random), well])),
  },
  {
    fault: 'the provider stalls, before its answer and amidst it',
    mark: 'stalls',
    requests: { long: 300 },
    isFelt: ({ outcomes }) => (outcomes.timeout ?? 0) > 0,
    run: answering((random) => oneOf(random, [stallsBeforeHeaders, stallsMidStream, takesItsTime(20)])),
  },
  {
    fault: 'the provider answers 429 and 503 first, with a retry-after',
    mark: 'overloaded',
    requests: { long: 1300 },
    isFelt: ({ retries, outcomes }) => retries > 0 && onlyCompleted(outcomes),
    run: answering(() => overloadedAtFirst),
  },
  {
    fault: 'the provider has very long answers',
    mark: 'huge',
    callers: 4,
    requests: { long: 100 },
    run: answering(() => talksMuch(5_000_000)),
  },
  {
    fault: "the provider's credential is replaced under load",
    mark: 'credential',
    requests: { long: 1000 },
    isFelt: ({ outcomes }) => onlyCompleted(outcomes),
    async run({ world: { provider, operator }, traffic }) {
      const { reached, done } = traffic({ manners: plainAndStreamed });
      await reached(0.5);
      await operator.setProviderKey(nextKey);
      provider.behaviour = wantsKey(nextKey);
      await done;
    },
  },
];

function onlyCompleted(outcomes: Effects['outcomes']): boolean {
  return Object.keys(outcomes).join() === 'completed';
}

function answering(behaviourOf: (random: Random) => Behaviour): Scene['run'] {
  return ({ world, random, traffic }) => {
    world.provider.behaviour = behaviourOf(random);
    return traffic({ manners: plainAndStreamed }).done;
  };
}
