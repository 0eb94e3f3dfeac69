/** Compares the tables of `docs/providers/translation.md` with the code: requests of each format of a caller, and results. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { withoutForeignThinking } from '#lambdas/inference/messages/foreign-thinking.ts';
import { parseMessagesRequest } from '#lambdas/inference/messages/request.ts';
import { withoutForeignReasoning } from '#lambdas/inference/responses/foreign-reasoning.ts';
import { parseResponsesRequest } from '#lambdas/inference/responses/request.ts';
import { filterObjects } from '#lambdas/platform/json/json.ts';
import { projectRoot } from '#test/support/source/modules.ts';
import { chatFeatures } from '#test/support/translation/chat-features.ts';
import { bodyOf, messagesFeatures } from '#test/support/translation/messages-features.ts';
import { type Feature, keepsContent, outcomeOf, providerApis } from '#test/support/translation/outcomes.ts';
import { responsesBodyOf, responsesFeatures } from '#test/support/translation/responses-features.ts';
import { callerFormats, placeOf, results } from '#test/support/translation/results.ts';

/** By the heading of the table. A provider with the format of the caller has no column. */
const features: Readonly<Record<string, Readonly<Record<string, Feature>>>> = {
  'Requests of chat completions': chatFeatures,
  'Requests of the Messages API': messagesFeatures,
  'Requests of the Responses API': responsesFeatures,
};

const page = readFileSync(path.join(projectRoot, 'docs/providers/translation.md'), 'utf8');

/** The rows of the first table, and one for each feature in the second, which has the same cell for all columns. */
function tableBelow(heading: string) {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ', 1);
  const [[head = [], , ...rows] = [], [, , ...sameEverywhere] = []] = tablesIn(own);
  const columns = head.slice(1);
  const more = sameEverywhere.flatMap(([cell = '', names = '']) =>
    names.split('; ').map((name) => [name, ...columns.map(() => cell)]),
  );
  return { columns, rows: [...rows, ...more] };
}

function tablesIn(text: string): string[][][] {
  return (text.match(/(?:^\|.*\n)+/gm) ?? []).map((table) =>
    table
      .trimEnd()
      .split('\n')
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
  );
}

describe.each(Object.entries(features))('The table of %s', (heading, tested) => {
  const { columns, rows } = tableBelow(heading);

  it('has the features that are tested, and columns of providers', () => {
    expect(rows.map(([feature]) => feature).toSorted()).toEqual(Object.keys(tested).toSorted());
    expect(columns.length).toBeGreaterThan(0);
    expect(columns.filter((name) => !Object.hasOwn(providerApis, name))).toEqual([]);
  });

  it.each(Object.entries(tested))('states what becomes of: %s', (name, feature) => {
    const [, ...cells] = rows.find(([row]) => row === name) ?? [];
    const stated = cells.map((cell) => /^(carried|reported|error|left out)\b/.exec(cell)?.[1]);
    const apis = columns.map((column) => providerApis[column] ?? expect.fail(`There is no API ${column}`));
    expect(stated).toEqual(apis.map((api) => outcomeOf(feature, api)));
    const apisWith = (form: RegExp) => apis.filter((_, index) => form.test(cells[index] ?? ''));
    expect(apisWith(/its (text|summary) is kept$/).filter((api) => !keepsContent(feature, api))).toEqual([]);
    expect(apisWith(/^reported$/).filter((api) => keepsContent(feature, api))).toEqual([]);
  });
});

describe('A provider with the Messages API', () => {
  const hasTag = (name: string) => bodyOf(name, 'google').includes('"gateway/');
  const [tagged, others] = [true, false].map((tag) =>
    Object.keys(messagesFeatures).filter((name) => hasTag(name) === tag),
  );

  it.each(others ?? [])('gets unchanged: %s', (name) => {
    const request = parseMessagesRequest(bodyOf(name, 'google'));

    const stripped = withoutForeignThinking(request);
    expect({ request: stripped, ignored: stripped.ignored ?? [] }).toEqual({ request, ignored: [] });
  });

  it.each(tagged ?? [])('does not get from a provider without it: %s', (name) => {
    const { text, ignored } = withoutForeignThinking(parseMessagesRequest(bodyOf(name, 'google')));

    expect(text).not.toContain('"thinking"');
    expect(ignored).toEqual(['messages.content.thinking']);
  });

  it('gets no thinking of three kinds', () => {
    expect(tagged).toEqual([
      'unsigned thinking of the same provider',
      'opaque data of the same provider',
      'thinking and opaque data of another provider',
    ]);
  });
});

describe('A provider with the Responses API', () => {
  const names = Object.keys(responsesFeatures);
  const tagged = names.filter((name) => responsesBodyOf(name, 'google').includes('"gateway/'));

  it.each(names.filter((name) => !tagged.includes(name)))('gets unchanged: %s', (name) => {
    const request = parseResponsesRequest(responsesBodyOf(name, 'google'));

    expect(withoutForeignReasoning(request)).toEqual(request);
  });

  it.each(tagged)('does not get from a provider without it: %s', (name) => {
    const request = parseResponsesRequest(responsesBodyOf(name, 'google'));

    const { body, ignored } = withoutForeignReasoning(request);

    const input = filterObjects(request.body.input).filter(({ type }) => type !== 'reasoning');
    expect({ body, ignored }).toEqual({ body: { ...request.body, input }, ignored: ['input.reasoning'] });
  });

  it('gets no reasoning of three kinds', () => {
    expect(tagged).toEqual([
      'reasoning of the same provider, without data of its own',
      'opaque data of the same provider',
      'reasoning and opaque data of another provider',
    ]);
  });
});

describe('The table of results', () => {
  const { columns, rows } = tableBelow('Results');

  it('has the results that are tested, and the formats of callers', () => {
    expect(rows.map(([result]) => result)).toEqual(Object.keys(results));
    expect(columns).toEqual(Object.keys(callerFormats));
  });

  it.each(Object.entries(results))('states where a caller finds: %s', (name, result) => {
    const [, ...cells] = rows.find(([row]) => row === name) ?? [];
    const stated = cells.map((cell) => /^`([^`]+)`|^(error|not shown)\b/.exec(cell)?.slice(1).join(''));
    expect(stated).toEqual(Object.values(callerFormats).map((format) => placeOf(result, format)));
  });
});
