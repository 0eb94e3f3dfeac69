/**
 * Requests that agents sent to the gateway's address. The texts of prompts, the descriptions of tools and the inner schemas
 * are shortened; no header is left out, but those of the connection and the key. `npm run test:agents` runs the agents.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '#lib/build-cache.ts';

interface AgentRequest {
  name: string;
  /** With its version. */
  client: string;
  url: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

export function agentRequests(endpoint: 'messages' | 'responses'): AgentRequest[] {
  const directory = path.join(projectRoot, 'test/fixtures/agents');
  const requests: AgentRequest[] = readdirSync(directory).map((file) => ({
    name: path.basename(file, '.json'),
    ...JSON.parse(readFileSync(path.join(directory, file), 'utf8')),
  }));
  return requests.filter(({ url }) => url.startsWith(`/ai/v1/${endpoint}`));
}
