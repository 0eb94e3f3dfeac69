/**
 * The names of Bedrock's models in the Converse API. Many models are available only through an inference profile, whose
 * name begins with the geography that can call it and that it distributes requests over:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */

import type { ModelNames } from './price-table-names.ts';

type Geography = 'global' | 'us' | 'eu' | 'apac' | 'jp' | 'au';

const geographiesByRegion: readonly (readonly [RegExp, readonly Geography[]])[] = [
  [/^us-gov-/, []],
  [/^us-/, ['global', 'us']],
  [/^eu-/, ['global', 'eu']],
  [/^ap-northeast-[13]$/, ['global', 'jp', 'apac']],
  [/^ap-southeast-[24]$/, ['global', 'au', 'apac']],
  [/^ap-/, ['global', 'apac']],
  [/^/, ['global']],
];

/**
 * Claude's names in Bedrock, by the price table's name. Claude is available only through profiles; the table has one
 * entry for the global profile and one for all regional profiles.
 */
const claudeNames = {
  'fable-5-2': 'fable-5-2',
  'fable-5-1-v1:0': 'fable-5-1',
  'fable-5-v1:0': 'fable-5',
  'haiku-4-5-20251001-v1:0': 'haiku-4-5-20251001-v1:0',
  'haiku-5-5': 'haiku-5-5',
  'opus-4-5-v1:0': 'opus-4-5-20251101-v1:0',
  'opus-4-6-v1:0': 'opus-4-6-v1',
  'opus-4-7-v1:0': 'opus-4-7',
  'opus-4-8-v1:0': 'opus-4-8',
  'opus-5': 'opus-5',
  'opus-5-5': 'opus-5-5',
  'sonnet-4-5-20250929-v1:0': 'sonnet-4-5-20250929-v1:0',
  'sonnet-4-6-v1:0': 'sonnet-4-6',
  'sonnet-5-v1:0': 'sonnet-5',
  'sonnet-5-5': 'sonnet-5-5',
};

/** Claude models with regional profiles for some geographies only. */
const claudeGeographies: Partial<Record<string, readonly Geography[]>> = {
  'fable-5-1': ['us'],
  'opus-4-5-20251101-v1:0': ['us', 'eu'],
};

/** Other models that most regions offer only through profiles. */
const profiles: readonly (readonly [string, readonly Geography[]])[] = [
  ['amazon.nova-micro-v1:0', ['us', 'eu', 'apac']],
  ['amazon.nova-lite-v1:0', ['us', 'eu', 'apac']],
  ['amazon.nova-pro-v1:0', ['us', 'eu', 'apac']],
  ['amazon.nova-premier-v1:0', ['us']],
  ['deepseek.r1-v1:0', ['us']],
  ['meta.llama3-1-8b-instruct-v1:0', ['us']],
  ['meta.llama3-1-70b-instruct-v1:0', ['us']],
  ['meta.llama3-2-1b-instruct-v1:0', ['us', 'eu']],
  ['meta.llama3-2-3b-instruct-v1:0', ['us', 'eu']],
  ['meta.llama3-2-11b-instruct-v1:0', ['us']],
  ['meta.llama3-2-90b-instruct-v1:0', ['us']],
  ['meta.llama3-3-70b-instruct-v1:0', ['us']],
  ['meta.llama4-maverick-17b-instruct-v1:0', ['us']],
  ['meta.llama4-scout-17b-instruct-v1:0', ['us']],
  ['mistral.pixtral-large-2502-v1:0', ['us', 'eu']],
  ['writer.palmyra-x4-v1:0', ['us']],
  ['writer.palmyra-x5-v1:0', ['us']],
];

const profileNames = (offered: readonly Geography[], model: string) =>
  offered.map((geography) => `${geography}.${model}`);

export const bedrockNames: ModelNames = {
  excluded: [
    // Models past their end of life, or available only to accounts that have called them before:
    // https://docs.aws.amazon.com/bedrock/latest/userguide/model-lifecycle.html
    /claude-(3|(opus|sonnet)-4-(1-)?2025)|^amazon\.titan-(?!embed)/,
    // Served only by Bedrock's OpenAI-compatible endpoints:
    // https://developers.openai.com/api/docs/guides/amazon-bedrock
    /openai\.gpt-\d/,
  ],
  callableNames: {
    ...Object.fromEntries(
      Object.entries(claudeNames).flatMap(([tableName, name]) => {
        const regional = profileNames(
          claudeGeographies[name] ?? ['us', 'eu', 'jp', 'au'],
          `anthropic.claude-${name}`,
        );
        return [
          [`global.anthropic.claude-${tableName}`, [`global.anthropic.claude-${name}`]],
          // The package's name of the regional profiles, and ours.
          [`regional.anthropic.claude-${tableName}`, regional],
          [`anthropic.claude-${tableName}`, regional],
        ];
      }),
    ),
    ...Object.fromEntries(profiles.map(([model, geographies]) => [model, profileNames(geographies, model)])),
    'regional.amazon.nova-2-lite-v1:0': profileNames(['us', 'eu', 'jp'], 'amazon.nova-2-lite-v1:0'),
    'nvidia.nemotron-nano-3-30b:0': ['nvidia.nemotron-nano-3-30b'],
    'nvidia.nemotron-nano-9b-v2:0': ['nvidia.nemotron-nano-9b-v2'],
    'nvidia.nemotron-super-3-120b:0': ['nvidia.nemotron-super-3-120b'],
    'qwen.qwen3-vl-235b-a22b-v1:0': ['qwen.qwen3-vl-235b-a22b'],
  },
  isInRegion(name, region) {
    // `regional` stands for all geographies but `global` in some of the table's ids. Others are not known to be limited.
    const geography = /^(global|regional|us|eu|apac|jp|au)\./.exec(name)?.[1];
    const [, offered = []] = geographiesByRegion.find(([pattern]) => pattern.test(region)) ?? [];
    return geography === undefined || offered.some((candidate) => candidate === geography);
  },
};
