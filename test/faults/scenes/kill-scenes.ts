/** Functions that are killed at work. */
import { hangingUp, plainAndStreamed } from '../harness/callers.ts';
import { takesItsTime } from '../harness/provider-answers.ts';
import type { Scene, Stage } from '../scene.ts';

export const killScenes: readonly Scene[] = [
  {
    fault: 'the chat function is killed under load, nine times',
    mark: 'chat-killed',
    requests: { long: 2700 },
    killsChat: true,
    isFelt: ({ outcomes }) => (outcomes.interrupted ?? 0) > 0,
    async run(stage) {
      stage.world.provider.behaviour = takesItsTime(4);
      await whileKilling(stage, 'Chat');
    },
  },
  {
    fault: 'the rollup function is killed under load, nine times',
    mark: 'rollup-killed',
    requests: { long: 1700 },
    run: (stage) => whileKilling(stage, 'CostRollup'),
  },
  {
    fault: 'the recovery function is killed at work, nine times, after DynamoDB was away',
    mark: 'recovery-killed',
    requests: { long: 1300 },
    isFelt: ({ queued }) => queued > 0,
    async run(stage) {
      const { dynamoDb } = stage.world;
      await dynamoDb.set({ kind: 'reset', operations: ['PutItem'], share: 0.9 });
      await whileKilling(stage, 'Recovery');
      await dynamoDb.set(null);
    },
  },
  {
    fault: 'all of it at once',
    mark: 'all',
    requests: { long: 2000 },
    killsChat: true,
    async run(stage) {
      const { world, random } = stage;
      world.provider.behaviour = takesItsTime(2);
      await world.dynamoDb.set({ kind: 'throttled', share: 0.2 });
      await world.sqs.set({ kind: 'swallowed', share: 0.2 });
      const { reached, done } = stage.traffic({ manners: hangingUp(random, 0.3) });
      for (const number of [1, 2, 3]) {
        await reached(number / 4);
        await Promise.all([world.kill('Chat'), world.kill('CostRollup')]);
      }
      await world.dynamoDb.set({ kind: 'swallowed', share: 0.2 });
      await done;
    },
  },
];

async function whileKilling({ world, traffic }: Stage, functionName: string): Promise<void> {
  const { reached, done } = traffic({ manners: plainAndStreamed });
  for (const tenth of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    await reached(tenth / 10);
    await world.kill(functionName);
  }
  await done;
}
