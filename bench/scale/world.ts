/** The chat function in a process, all that it talks to, and callers who know what they have asked. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import { type BenchProcess, type ProcessUsage, startBenchProcess } from '../shared/bench-process.ts';
import { buildProgram } from '../shared/built-program.ts';
import { buildChatBundle, chatEnvironment } from '../shared/chat-bundle.ts';
import { type ChatClient, createChatClient } from '../shared/chat-client.ts';
import { nameOf } from '../shared/entry-check.ts';

export interface World {
  client: ChatClient;
  /** Without the gateway. */
  directUrl: string;
  startGateway(): Promise<Gateway>;
  /** What was written: see `entry-check.ts`. Waits until there are so many entries. */
  written(entries: number): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

export interface Gateway {
  url: string;
  usage(): Promise<ProcessUsage>;
  stop(): Promise<void>;
}

const mostWaits = 500;

export async function startWorld(): Promise<World> {
  const bundle = buildChatBundle();
  const directory = mkdtempSync(join(tmpdir(), 'bench-scale-'));
  const host = buildProgram('shared/chat-host.ts', directory);
  const upstream = await startBenchProcess('shared/upstream.ts');
  const aws = await startBenchProcess('shared/fake-aws.ts', { KEYS: 'any' });
  const client = createChatClient();
  const environment = {
    CHAT_BUNDLE: bundle.directory,
    ...chatEnvironment({ upstream: upstream.origin, aws: aws.origin }),
  };
  return {
    client,
    directUrl: `${upstream.origin}/v1/chat/completions`,
    async startGateway() {
      const { origin, usage, stop } = await startBenchProcess(host, environment);
      return { url: `${origin}/ai/chat/completions`, usage, stop };
    },
    written: (entries) => waitForEntries(aws, entries),
    async stop() {
      client.close();
      await Promise.all([upstream.stop(), aws.stop()]);
      bundle.remove();
      rmSync(directory, { recursive: true });
    },
  };
}

/** An answer ends before its entry is written. */
async function waitForEntries(aws: BenchProcess, entries: number): Promise<Record<string, number>> {
  for (let waits = 0; ; waits += 1) {
    const { counts } = await aws.usage();
    if ((counts.entries ?? 0) >= entries || waits === mostWaits) return counts;
    await wait(10);
  }
}

/** The headers of a caller of the organization with this number. */
export function callerHeaders(organization: number): Record<string, string> {
  const key = `pt_live_${String(organization).padStart(32, '0')}`;
  return { authorization: `Bearer ${key}`, 'gateway-user-id': nameOf(hashApiKey(key)) };
}
