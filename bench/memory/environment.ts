/** An environment of the chat function with so much memory, and with the share of a processor that Lambda gives to it. */
import { type ProcessUsage, startBenchProcess } from '../shared/bench-process.ts';
import { type ChatBodyOptions, chatBody } from '../shared/chat-body.ts';
import type { Answered, Asked } from '../shared/chat-client.ts';
import { lambdaFlags, processorShare } from '../shared/lambda-flags.ts';
import type { World } from './world.ts';

export interface Environment {
  memoryMb: number;
  ask(options: ChatBodyOptions): Promise<Answered>;
  usage(): Promise<ProcessUsage>;
  stop(): Promise<void>;
}

/** Lambda starts an environment with a whole processor, so its share is taken from it when the import is done. */
export async function startEnvironment(world: World, memoryMb: number): Promise<Environment> {
  const process = await startBenchProcess(world.hostProgram, world.hostEnvironment, lambdaFlags(memoryMb));
  const release = world.quota.confine(process.pid, processorShare(memoryMb));
  return {
    memoryMb,
    ask: (options) => told(world, { url: process.origin, body: eventOf(chatBody(options)) }),
    usage: process.usage,
    async stop() {
      await process.stop();
      release();
    },
  };
}

/** The same of a provider, without the gateway. */
export function askDirectly(world: World, options: ChatBodyOptions): Promise<Answered> {
  return told(world, { url: world.directUrl, body: chatBody(options) });
}

async function told({ client }: World, asked: Asked): Promise<Answered> {
  const answered = await client.ask(asked);
  if (answered.status !== 200) throw new Error(`Answered ${answered.status}: ${answered.text}`);
  return answered;
}

/** Of a Function URL. */
function eventOf(body: Buffer): Buffer {
  const path = '/ai/chat/completions';
  const event = {
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    headers: { authorization: `Bearer pt_live_${'a'.repeat(32)}`, 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST', path } },
    body: body.toString(),
    isBase64Encoded: false,
  };
  return Buffer.from(JSON.stringify(event));
}
