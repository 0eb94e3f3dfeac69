/** Simulates cold starts of the chat function in one process: Node loads each copy of the bundle anew. */
import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';
import {
  buildChatBundle,
  chatEnvironmentVariables,
  type ServiceEndpoints,
} from '#bench/harness/chat-bundle.ts';
import { type DeployedChat, loadDeployedChat } from './deployed.ts';

interface StartedChat {
  chat: DeployedChat;
  /** Resolves when the requests that the function sends while it is loaded have ended. */
  ready: Promise<unknown>;
}

export interface ColdStarter {
  start(surroundings: ServiceEndpoints): StartedChat;
  remove(): void;
}

export function createColdStarter(): ColdStarter {
  const bundle = buildChatBundle();
  const directories: string[] = [];
  return {
    start(surroundings) {
      const directory = mkdtempSync(path.join(tmpdir(), 'chat-copy-'));
      directories.push(directory);
      cpSync(bundle.directory, directory, { recursive: true });
      for (const [name, value] of Object.entries(chatEnvironmentVariables(surroundings)))
        vi.stubEnv(name, value);
      const requests = trackRequests();
      const chat = loadDeployedChat(path.join(directory, 'index.mjs'));
      vi.unstubAllEnvs();
      return { chat, ready: requests.over() };
    },
    remove() {
      bundle.remove();
      for (const directory of directories) rmSync(directory, { recursive: true });
    },
  };
}

function trackRequests() {
  const ends: Promise<unknown>[] = [];
  const onRequest: ChannelListener = (message) => {
    const { request } = message as { request: ClientRequest };
    ends.push(once(request, 'close'));
  };
  subscribe('http.client.request.created', onRequest);
  return {
    async over() {
      await new Promise(setImmediate);
      unsubscribe('http.client.request.created', onRequest);
      await Promise.all(ends);
    },
  };
}
