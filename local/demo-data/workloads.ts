/** The applications of the demo data: their prompts with keys, models, users, sizes and times of day. */

export interface DemoModel {
  provider: string;
  name: string;
  /** Median time until the first token. */
  firstTokenMs: number;
  tokensPerSecond: number;
  /** Whether providers cache the tokens of repeated prompts. */
  caches: boolean;
  /** The share of the output that is reasoning. */
  reasoning: number;
}

/** With the speed of an ordinary day. The price of Mistral's model is assumed, that of NVIDIA's is unknown. */
export const demoModels = {
  sol: model('openai/gpt-6.2-sol', 620, 95, { caches: true, reasoning: 0.35 }),
  luna: model('openai/gpt-6-luna', 310, 170, { caches: true }),
  embedding: model('openai/text-embedding-3-small', 130, 1),
  opus: model('anthropic/claude-opus-5-5', 1150, 62, { caches: true, reasoning: 0.4 }),
  sonnet: model('anthropic/claude-sonnet-5-5', 740, 88, { caches: true, reasoning: 0.2 }),
  haiku: model('anthropic/claude-haiku-5-5', 390, 150),
  flash: model('google/gemini-3.8-flash', 420, 185, { caches: true, reasoning: 0.25 }),
  nova: model('bedrock/us.amazon.nova-pro-v1:0', 560, 90),
  mistral: model('mistral/mistral-large-4', 480, 80),
  llama: model('nvidia/meta/llama-3.3-70b-instruct', 450, 70),
};

function model(
  id: string,
  firstTokenMs: number,
  tokensPerSecond: number,
  { caches = false, reasoning = 0 } = {},
): DemoModel {
  const [provider = '', ...name] = id.split('/');
  return { provider, name: name.join('/'), firstTokenMs, tokensPerSecond, caches, reasoning };
}

/** Uses more, and a more expensive model, than anybody else. */
export const topUser = 'olivia.king';
const firstNames = 'alice anna ben clara david emma frank grace henry ivy jack laura'.split(' ');
const customers = [
  topUser,
  ...['hill', 'young'].flatMap((last) => firstNames.map((name) => `${name}.${last}`)),
];

export interface Workload {
  /** `null` for callers that send no prompt id. */
  prompt: string | null;
  key: DemoKeyName;
  /** Share of the requests on a weekday. */
  share: number;
  /** With their shares. */
  models: Partial<Record<keyof typeof demoModels, number>>;
  /** Medians. The instructions are the same in every request, and each request of a session adds the input. */
  tokens: readonly [input: number, instructions: number, output: number];
  /** Most traffic is in the middle of these hours, in UTC. */
  hours: readonly [start: number, end: number];
  /** The traffic at the weekend relative to that of other workloads. */
  weekend: number;
  users: readonly string[];
  streams: boolean;
  /** The number of requests at once; with users those of a session, each with the earlier ones as context. */
  turns: readonly [min: number, max: number];
  /** The tier of OpenAI's models. */
  tier: string;
}

type Use = Pick<Workload, 'hours' | 'weekend' | 'users' | 'streams' | 'turns' | 'tier'>;

const trial: Use = { hours: [6, 19], weekend: 0.2, users: [], streams: true, turns: [1, 1], tier: 'default' };
const batch: Use = { ...trial, streams: false, turns: [6, 20] };
const night: Use = { ...batch, hours: [1, 4], weekend: 3, tier: 'flex' };
const shop: Use = { ...trial, hours: [4, 24], weekend: 1.5, users: customers, streams: false };
const support: Use = { ...shop, streams: true, turns: [2, 8], tier: 'priority' };
const assistant: Use = { ...trial, users: customers };
const coding: Use = { ...assistant, users: customers.slice(0, 8), turns: [4, 12] };

type Row = readonly [string | null, string, number, Workload['models'], Workload['tokens'], Use];

const rows = {
  search: ['product-search', 'production', 17, { luna: 7, flash: 3 }, [450, 1536, 110], shop],
  searchIndex: ['search-index', 'production', 9, { embedding: 1 }, [2600, 0, 0], batch],
  description: ['product-description', 'production', 6, { sol: 6, flash: 4 }, [1900, 1024, 480], batch],
  translation: ['translation', 'production', 7, { mistral: 6, flash: 4 }, [1400, 0, 1300], batch],
  extraction: ['document-extraction', 'production', 8, { nova: 6, haiku: 4 }, [11_000, 0, 750], batch],
  notes: ['meeting-notes', 'production', 4, { flash: 7, sonnet: 3 }, [16_000, 512, 1100], assistant],
  email: ['email-draft', 'production', 5, { sol: 6, sonnet: 4 }, [1500, 768, 380], assistant],
  chat: ['support-chat', 'support-assistant', 17, { sonnet: 6, sol: 4 }, [900, 6144, 340], support],
  triage: ['support-triage', 'support-assistant', 6, { luna: 5, haiku: 5 }, [800, 2048, 60], shop],
  code: ['code-assistant', 'engineering', 11, { sonnet: 6, sol: 3, opus: 1 }, [7500, 18_432, 1150], coding],
  research: ['research-report', 'engineering', 1, { sonnet: 7, opus: 3 }, [32_000, 4096, 3200], assistant],
  review: ['code-review', 'ci', 6, { sonnet: 6, sol: 4 }, [6500, 3072, 800], batch],
  evaluation: ['evaluation-judge', 'nightly-evaluation', 9, { luna: 7, llama: 3 }, [3800, 1024, 280], night],
  staging: [null, 'staging', 3, { luna: 5, sonnet: 3, nova: 2 }, [900, 0, 180], trial],
} as const satisfies Record<string, Row>;

export type DemoKeyName = (typeof rows)[keyof typeof rows][1];

export const workloads = Object.fromEntries(
  Object.entries<Row>(rows).map(([name, [prompt, key, share, models, tokens, use]]) => [
    name,
    { prompt, key, share, models, tokens, ...use },
  ]),
) as Record<keyof typeof rows, Workload>;

export const demoKeyNames = [...new Set(Object.values(workloads).map(({ key }) => key))];
