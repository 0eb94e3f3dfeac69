/** The models of the demo data, with their speed on an ordinary day. */

export interface DemoModel {
  provider: string;
  /** The provider's name for the model. */
  name: string;
  /** The tier that its responses name; `null` if they name none. */
  serviceTier: string | null;
  /** Median time in milliseconds until the first token. */
  firstTokenMs: number;
  tokensPerSecond: number;
  /** The tokens of a repeated prompt that the response reports. */
  cache: 'none' | 'reads' | 'reads and writes';
  /** The share of the output that is reasoning. */
  reasoningShare: number;
}

export const demoModels = {
  sol: {
    provider: 'openai',
    name: 'gpt-6.2-sol',
    serviceTier: 'default',
    firstTokenMs: 620,
    tokensPerSecond: 95,
    cache: 'reads',
    reasoningShare: 0.35,
  },
  luna: {
    provider: 'openai',
    name: 'gpt-6-luna',
    serviceTier: 'default',
    firstTokenMs: 310,
    tokensPerSecond: 170,
    cache: 'reads',
    reasoningShare: 0,
  },
  /** Has no output. */
  embedding: {
    provider: 'openai',
    name: 'text-embedding-3-small',
    serviceTier: null,
    firstTokenMs: 130,
    tokensPerSecond: 1,
    cache: 'none',
    reasoningShare: 0,
  },
  opus: {
    provider: 'anthropic',
    name: 'claude-opus-5-5',
    serviceTier: 'standard',
    firstTokenMs: 1150,
    tokensPerSecond: 62,
    cache: 'reads and writes',
    reasoningShare: 0.4,
  },
  sonnet: {
    provider: 'anthropic',
    name: 'claude-sonnet-5-5',
    serviceTier: 'standard',
    firstTokenMs: 740,
    tokensPerSecond: 88,
    cache: 'reads and writes',
    reasoningShare: 0.2,
  },
  haiku: {
    provider: 'anthropic',
    name: 'claude-haiku-5-5',
    serviceTier: 'standard',
    firstTokenMs: 390,
    tokensPerSecond: 150,
    cache: 'none',
    reasoningShare: 0,
  },
  flash: {
    provider: 'google',
    name: 'gemini-3.8-flash',
    serviceTier: null,
    firstTokenMs: 420,
    tokensPerSecond: 185,
    cache: 'reads',
    reasoningShare: 0.25,
  },
  nova: {
    provider: 'bedrock',
    name: 'us.amazon.nova-pro-v1:0',
    serviceTier: null,
    firstTokenMs: 560,
    tokensPerSecond: 90,
    cache: 'none',
    reasoningShare: 0,
  },
  /** Has an assumed price. */
  mistral: {
    provider: 'mistral',
    name: 'mistral-large-4',
    serviceTier: null,
    firstTokenMs: 480,
    tokensPerSecond: 80,
    cache: 'none',
    reasoningShare: 0,
  },
  /** Has no known price. */
  llama: {
    provider: 'nvidia',
    name: 'meta/llama-3.3-70b-instruct',
    serviceTier: null,
    firstTokenMs: 450,
    tokensPerSecond: 70,
    cache: 'none',
    reasoningShare: 0,
  },
} as const satisfies Record<string, DemoModel>;

export type DemoModelName = keyof typeof demoModels;

/** The provider of the outage and of the slow Tuesday. */
export const unreliableProvider = demoModels.sonnet.provider;

/** Before the provider's id of a request; a provider that is missing here sends none. */
export const requestIdPrefixes: Readonly<Record<string, string>> = {
  openai: 'req_',
  anthropic: 'req_',
  bedrock: '',
  mistral: '',
  nvidia: '',
};
