/** Reproduces the deployed chat function: its bundle, environment variables and Node flags. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { defaultChatLimits } from '#lambdas/inference/exchange/limits.ts';
import { bundleOptions } from '#lib/functions/bundle.ts';

/** Relative to `lambdas/`. */
export const chatEntry = 'inference/inference.lambda.ts';

interface ChatBundle {
  directory: string;
  remove(): void;
}

export function buildChatBundle(): ChatBundle {
  const directory = mkdtempSync(join(tmpdir(), 'bench-chat-'));
  buildSync({ ...bundleOptions(chatEntry), outdir: directory });
  return { directory, remove: () => rmSync(directory, { recursive: true }) };
}

export interface ServiceEndpoints {
  upstream: string;
  aws: string;
}

export function chatEnvironmentVariables({ upstream, aws }: ServiceEndpoints): Record<string, string> {
  return {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_SESSION_TOKEN: 'bench',
    AWS_ENDPOINT_URL: aws,
    DIRECTORY_TABLE: 'directory',
    LOG_ENTRIES_TABLE: 'log-entries',
    ENTRY_RETENTION_DAYS: '90',
    PRICES_TABLE: 'prices',
    BUDGET_COUNTERS_TABLE: 'BudgetCounters',
    CONVERSATION_STATE_TABLE: 'ConversationState',
    LOST_ENTRIES_QUEUE_URL: `${aws}/queue`,
    PROVIDER_SECRET_ARN: 'providers',
    PROVIDERS: JSON.stringify({
      openai: { baseUrl: `${upstream}/v1`, operations: { messages: '/messages' } },
      google: { baseUrl: `${upstream}/v1beta` },
    }),
    DEFAULT_PROVIDER: 'null',
    AGENT_SESSIONS: 'true',
    CHAT_LIMITS: JSON.stringify(defaultChatLimits),
    STREAM_FLUSH_MS: '0',
    ALLOWED_ORIGINS: '[]',
  };
}

/**
 * Returns the flags with which Lambda starts Node. Of the function's memory, the young generation gets 5 % per semi-space,
 * the old generation 90 %. From `/var/runtime/bootstrap` in https://gallery.ecr.aws/lambda/nodejs
 */
export function lambdaNodeFlags(memoryMb: number): string[] {
  return [
    '--expose-gc',
    '--max-http-header-size=81920',
    `--max-semi-space-size=${Math.floor(memoryMb / 20)}`,
    `--max-old-space-size=${Math.ceil(memoryMb * 0.9)}`,
  ];
}

/** At 1,769 MB, a function has one full vCPU: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
export function cpuShare(memoryMb: number): number {
  return memoryMb / 1769;
}
