import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { checkRequest, exampleOf, TestForm } from '#dashboard/routes/test-dialog.tsx';
import { TestResult } from '#dashboard/routes/test-result.tsx';
import { decisionText, measureText } from '#dashboard/routes/words.ts';
import type { RouteTest, TestedTarget } from '#lambdas/accounts/analytics/responses.ts';
import { skipReasons } from '#lambdas/request-log/fields/skipped-target.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import type { RouteStrategy } from '#lambdas/routing/route.ts';
import { names, textOf, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';
import { routeOfAcme } from './route-summary.ts';

const first: TestedTarget = {
  model: 'openai/gpt-4o-mini',
  decision: 'first',
  reason: null,
  param: null,
  share: null,
  cost_usd: null,
};
const skipped: TestedTarget = {
  ...first,
  model: 'demo/demo-1',
  decision: 'skipped',
  reason: 'unsupported',
  param: 'response_format',
};

const resultOf = async (result: RouteTest, strategy: RouteStrategy = 'order') =>
  renderOnPage(createElement(TestResult, { result, strategy }));

describe('The test of a route', () => {
  it('says which target would serve the request, and why the others would not', async () => {
    const next: TestedTarget = { ...first, model: 'anthropic/claude-haiku-4-5', decision: 'next' };
    const spare: TestedTarget = { ...first, model: 'openai/gpt-4o', decision: 'spare' };
    const shown = await resultOf({ target: first.model, targets: [first, next, spare, skipped] });
    expect(texts(shown, '[role=status]')).toEqual(['openai/gpt-4o-mini would serve this request']);
    expect(texts(shown, 'li')).toEqual([
      'openai/gpt-4o-miniWould serve the request',
      'anthropic/claude-haiku-4-5Would follow if those before it failed',
      'openai/gpt-4oWould not be tried: the route allows fewer attempts',
      'demo/demo-1Would be skipped: it does not support response_format',
    ]);
  });

  it('says that no target could', async () => {
    const shown = await resultOf({ target: null, targets: [skipped] });
    expect(texts(shown, '[role=status]')).toEqual([
      'No target could serve this requestIt would be refused with the status 400, and these reasons.',
    ]);
  });

  it('says that weights choose anew for each request', async () => {
    const shown = await resultOf({ target: first.model, targets: [{ ...first, share: 0.95 }] }, 'weight');
    expect(textOf(shown)).toBe(
      'openai/gpt-4o-mini could serve this requestEach request chooses anew, by the weights.' +
        'openai/gpt-4o-miniWould serve the request95.0% of the requests',
    );
  });

  it('has a text for each reason', () => {
    const reasons = skipReasons.map((reason) => decisionText({ ...skipped, reason, param: null }));
    expect(new Set(reasons).size).toBe(skipReasons.length);
    expect(reasons.filter((text) => !/^Would be skipped: its? /.test(text))).toEqual([]);
  });

  it('states what the strategy compares', () => {
    const compared = { ...first, share: 0.25, cost_usd: 0.00042 };
    expect(measureText(compared, 'order')).toBe('About $0.00042');
    expect(measureText(first, 'order')).toBeNull();
    expect(measureText(compared, 'weight')).toBe('25.0% of the requests');
    expect(measureText(compared, 'price')).toBe('About $0.00042');
    expect(measureText(first, 'price')).toBe('No known price');
    expect(measureText(first, 'weight')).toBeNull();
  });
});

describe('The form of a test', () => {
  it('begins with an example of a chat', async () => {
    const shown = await renderOnPage(createElement(TestForm, { route: routeOfAcme(), onDone: () => {} }));
    expect(texts(shown, '[role=radio]')).toEqual(['Chat completions', 'Embeddings', 'Messages', 'Responses']);
    expect(texts(shown, 'textarea')).toEqual([exampleOf('chat.completions')]);
    expect(names(shown, 'button')).toEqual(['Close', 'Test']);
  });

  it('has an example of each operation, and refuses what is no request', () => {
    expect(operations.map((operation) => checkRequest(exampleOf(operation)))).toEqual([
      null,
      null,
      null,
      null,
    ]);
    for (const text of ['', '[]', '"x"', '{'])
      expect(checkRequest(text)).toBe('Enter the body of a request, which is a JSON object');
  });
});
