/** Copies of the chat function's bundle, each of which Node loads anew: a cold start of its own, in one process. */
import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';
import { buildChatBundle, chatEnvironment, type Surroundings } from '#bench/harness/chat-bundle.ts';
import { type DeployedChat, loadDeployedChat } from './deployed-chat.ts';

export interface StartedChat {
  chat: DeployedChat;
  /** Resolves when the requests are over that the function has begun to make while it was loaded, or right after. */
  ready: Promise<unknown>;
}

export interface ChatCopies {
  start(surroundings: Surroundings): StartedChat;
  remove(): void;
}

export function buildChatCopies(): ChatCopies {
  const bundle = buildChatBundle();
  const directories: string[] = [];
  return {
    start(surroundings) {
      const directory = mkdtempSync(path.join(tmpdir(), 'chat-copy-'));
      directories.push(directory);
      cpSync(bundle.directory, directory, { recursive: true });
      for (const [name, value] of Object.entries(chatEnvironment(surroundings))) vi.stubEnv(name, value);
      const requests = watchRequests();
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

function watchRequests() {
  const ends: Promise<unknown>[] = [];
  const note: ChannelListener = (message) => {
    const { request } = message as { request: ClientRequest };
    ends.push(once(request, 'close'));
  };
  subscribe('http.client.request.created', note);
  return {
    async over() {
      await new Promise(setImmediate);
      unsubscribe('http.client.request.created', note);
      await Promise.all(ends);
    },
  };
}
