/** The applications of the demo data: their prompts with keys, models, sizes and times of day. */
import type { OperationName } from '#lambdas/request-log/operation.ts';
import type { DayCurve } from './day-curve.ts';
import type { DemoModelName } from './models.ts';
import { customers, engineers } from './users.ts';

export const demoKeyNames = [
  'production',
  'support-assistant',
  'engineering',
  'nightly-evaluation',
  'ci',
  'staging',
] as const;

export type DemoKeyName = (typeof demoKeyNames)[number];

export interface Workload {
  /** `null` for callers that send no prompt id. */
  prompt: string | null;
  /** Chat completions if it is missing. */
  operation?: OperationName;
  key: DemoKeyName;
  /** Share of the requests on a weekday, and at the weekend. */
  weekday: number;
  weekend: number;
  hours: DayCurve;
  /** With their shares. */
  models: Partial<Record<DemoModelName, number>>;
  /** Replaces the tier of OpenAI's models. */
  openAiTier?: string;
  users: typeof customers | null;
  /** A session has this number of requests, each with the earlier ones as context; 1 without sessions. */
  turns: readonly [min: number, max: number];
  /** Median of the tokens that each request adds. */
  inputTokens: number;
  /** Tokens that are the same in every request, which providers cache. */
  instructionTokens: number;
  outputTokens: number;
  stream: boolean;
  /** The maximum number of web searches. */
  webSearches?: number;
}

const single = [1, 1] as const;

export const workloads = {
  search: {
    prompt: 'product-search',
    key: 'production',
    weekday: 17,
    weekend: 26,
    hours: 'customers',
    models: { luna: 7, flash: 3 },
    users: customers,
    turns: single,
    inputTokens: 450,
    instructionTokens: 1536,
    outputTokens: 110,
    stream: false,
  },
  searchIndex: {
    prompt: 'search-index',
    operation: 'embeddings',
    key: 'production',
    weekday: 9,
    weekend: 4,
    hours: 'office',
    models: { embedding: 1 },
    users: null,
    turns: single,
    inputTokens: 2600,
    instructionTokens: 0,
    outputTokens: 0,
    stream: false,
  },
  description: {
    prompt: 'product-description',
    key: 'production',
    weekday: 6,
    weekend: 1,
    hours: 'office',
    models: { sol: 6, flash: 4 },
    users: null,
    turns: single,
    inputTokens: 1900,
    instructionTokens: 1024,
    outputTokens: 480,
    stream: false,
  },
  translation: {
    prompt: 'translation',
    key: 'production',
    weekday: 7,
    weekend: 3,
    hours: 'office',
    models: { mistral: 6, flash: 4 },
    users: null,
    turns: single,
    inputTokens: 1400,
    instructionTokens: 0,
    outputTokens: 1300,
    stream: false,
  },
  extraction: {
    prompt: 'document-extraction',
    key: 'production',
    weekday: 8,
    weekend: 2,
    hours: 'office',
    models: { nova: 6, haiku: 4 },
    users: null,
    turns: single,
    inputTokens: 11_000,
    instructionTokens: 0,
    outputTokens: 750,
    stream: false,
  },
  meetingNotes: {
    prompt: 'meeting-notes',
    key: 'production',
    weekday: 4,
    weekend: 0,
    hours: 'office',
    models: { flash: 7, sonnet: 3 },
    users: customers,
    turns: single,
    inputTokens: 16_000,
    instructionTokens: 512,
    outputTokens: 1100,
    stream: true,
  },
  emailDraft: {
    prompt: 'email-draft',
    key: 'production',
    weekday: 5,
    weekend: 1,
    hours: 'office',
    models: { sol: 6, sonnet: 4 },
    users: customers,
    turns: single,
    inputTokens: 1500,
    instructionTokens: 768,
    outputTokens: 380,
    stream: true,
  },
  supportChat: {
    prompt: 'support-chat',
    key: 'support-assistant',
    weekday: 17,
    weekend: 24,
    hours: 'customers',
    models: { sonnet: 6, sol: 4 },
    openAiTier: 'priority',
    users: customers,
    turns: [2, 8],
    inputTokens: 900,
    instructionTokens: 6144,
    outputTokens: 340,
    stream: true,
  },
  supportTriage: {
    prompt: 'support-triage',
    key: 'support-assistant',
    weekday: 6,
    weekend: 9,
    hours: 'customers',
    models: { luna: 5, haiku: 5 },
    users: customers,
    turns: single,
    inputTokens: 800,
    instructionTokens: 2048,
    outputTokens: 60,
    stream: false,
  },
  codeAssistant: {
    prompt: 'code-assistant',
    key: 'engineering',
    weekday: 11,
    weekend: 4,
    hours: 'office',
    models: { sonnet: 6, sol: 3, opus: 1 },
    users: engineers,
    turns: [4, 12],
    inputTokens: 7500,
    instructionTokens: 18_432,
    outputTokens: 1150,
    stream: true,
  },
  research: {
    prompt: 'research-report',
    key: 'engineering',
    weekday: 1,
    weekend: 0,
    hours: 'office',
    models: { sonnet: 7, opus: 3 },
    users: engineers,
    turns: single,
    inputTokens: 32_000,
    instructionTokens: 4096,
    outputTokens: 3200,
    stream: true,
    webSearches: 6,
  },
  codeReview: {
    prompt: 'code-review',
    key: 'ci',
    weekday: 6,
    weekend: 1,
    hours: 'office',
    models: { sonnet: 6, sol: 4 },
    users: null,
    turns: single,
    inputTokens: 6500,
    instructionTokens: 3072,
    outputTokens: 800,
    stream: false,
  },
  evaluation: {
    prompt: 'evaluation-judge',
    key: 'nightly-evaluation',
    weekday: 9,
    weekend: 28,
    hours: 'night',
    models: { luna: 7, llama: 3 },
    openAiTier: 'flex',
    users: null,
    turns: single,
    inputTokens: 3800,
    instructionTokens: 1024,
    outputTokens: 280,
    stream: false,
  },
  staging: {
    prompt: null,
    key: 'staging',
    weekday: 3,
    weekend: 1,
    hours: 'office',
    models: { luna: 5, sonnet: 3, nova: 2 },
    users: null,
    turns: single,
    inputTokens: 900,
    instructionTokens: 0,
    outputTokens: 180,
    stream: true,
  },
} as const satisfies Record<string, Workload>;
