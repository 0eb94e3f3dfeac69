/** The chat function's code as it is deployed, in a folder of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { bundleOptions } from '#lib/functions/function-bundle.ts';

export interface ChatBundle {
  directory: string;
  remove(): void;
}

export function buildChatBundle(): ChatBundle {
  const directory = mkdtempSync(join(tmpdir(), 'bench-chat-'));
  buildSync({ ...bundleOptions('inference/chat/chat.lambda.ts'), outdir: directory });
  return { directory, remove: () => rmSync(directory, { recursive: true }) };
}

export interface Surroundings {
  /** Of the provider, without a path. */
  upstream: string;
  /** Of DynamoDB and Secrets Manager. */
  aws: string;
}

/** The environment that the function has in Lambda, with loopback in place of the world. */
export function chatEnvironment({ upstream, aws }: Surroundings): Record<string, string> {
  return {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_SESSION_TOKEN: 'bench',
    AWS_ENDPOINT_URL: aws,
    DIRECTORY_TABLE: 'directory',
    LOG_ENTRIES_TABLE: 'log-entries',
    ENTRY_RETENTION_DAYS: '90',
    LOST_ENTRIES_QUEUE_URL: `${aws}/queue`,
    PROVIDER_SECRET_ARN: 'providers',
    PROVIDERS: JSON.stringify({ openai: { baseUrl: `${upstream}/v1` } }),
    CHAT_LIMITS: '{}',
  };
}
