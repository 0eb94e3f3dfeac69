/** Tells the time by the heartbeats of a stream whose provider is silent, so that tests need not sleep. */
import { once } from 'node:events';
import { hangBeforeHeaders } from '../providers/upstream-responses.ts';
import { startChatFixture } from './fixture.ts';

export interface HeartbeatClock {
  /** Resolves with the next heartbeat. */
  tick(): Promise<void>;
  stop(): Promise<void>;
}

export async function startHeartbeatClock(heartbeatMs: number): Promise<HeartbeatClock> {
  const fixture = await startChatFixture();
  const { upstream, gateway } = await fixture.setUp({ limits: { heartbeatMs } });
  upstream.script(hangBeforeHeaders);
  const messages = [{ role: 'user', content: 'Say hello' }];
  const { body } = await gateway.call(gateway.event({ model: 'openai/gpt-4o', messages, stream: true }));
  // Heartbeats that nobody waits for are dropped.
  body.resume();
  return {
    tick: async () => void (await once(body, 'data')),
    stop: fixture.stop,
  };
}
