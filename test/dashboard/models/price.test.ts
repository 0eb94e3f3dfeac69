import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { providerListQuery } from '#dashboard/api/analytics.ts';
import { ConnectProvider } from '#dashboard/issued-key/connect-provider.tsx';
import { ModelDetails } from '#dashboard/models/model-details.tsx';
import { hasOtherPrices, priceCommand } from '#dashboard/models/price-pages.ts';
import type { ModelPrice, ModelSummary, PriceVersion } from '#lambdas/accounts/analytics/responses.ts';
import { all, names, textOf, texts } from '#test/dashboard/rendering/markup.ts';
import { renderOnPage } from '#test/dashboard/rendering/page.ts';

const rate = (type: string, usd: string) => ({ type, usd, per: 1_000_000, assumed: false });

const listed: ModelPrice = {
  tier: null,
  source: 'table',
  version: 'genai-prices 0.1.8',
  since: null,
  assumed: false,
  rates: [rate('uncached_text_input_tokens', '1.25'), rate('text_output_tokens', '10')],
  above: [],
};
const own: ModelPrice = {
  ...listed,
  source: 'all_organizations',
  version: null,
  since: '2026-11-03T00:00:00.000Z',
};
const version: PriceVersion = {
  source: 'all_organizations',
  tier: null,
  from: '2026-11-03T00:00:00.000Z',
  input_usd: '1.25',
  cached_input_usd: '0.125',
  output_usd: '10',
  set_by: 'arn:aws:iam::123456789012:user/ada',
  set_at: '2026-11-02T23:58:50.000Z',
};
const day = (date: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date));

function detailsOf(fields: Partial<ModelSummary>) {
  const model: ModelSummary = {
    id: 'openai/gpt-5',
    provider: 'openai',
    operations: ['chat.completions'],
    set_up: true,
    prices: [listed],
    versions: [],
    ...fields,
  };
  return renderOnPage(createElement(ModelDetails, { model }));
}

describe('An opened model', () => {
  it("says first since when its price holds and where it is from, with the provider's page", async () => {
    const shown = await detailsOf({});
    expect(texts(shown, 'dd')).toEqual([
      'Always: no other price of it is known',
      'Price table genai-prices 0.1.8Prices of openai',
      'The gateway’s own price table',
    ]);
    expect(all(shown, 'a').map(({ attributes }) => attributes.href)).toEqual([
      'https://developers.openai.com/api/docs/pricing',
    ]);
    expect(texts(shown, 'h2')).toEqual(['Change the price']);
  });

  it('says who has set a price of the operator, and lists its versions', async () => {
    const ended = {
      ...version,
      from: '2026-12-01T00:00:00.000Z',
      input_usd: null,
      cached_input_usd: null,
      output_usd: null,
    };
    const shown = await detailsOf({ prices: [own], versions: [ended, version] });
    const [since, source, by] = texts(shown, 'dd');
    expect([since, source]).toEqual([day('2026-11-03'), "The operator's price for all organizations"]);
    expect(by).toMatch(/^arn:aws:iam::123456789012:user\/ada/);
    const history = all(shown, 'table').find((table) =>
      table.attributes['aria-label']?.startsWith('History'),
    );
    expect(history && texts(history, 'tr').slice(1)).toEqual([
      `${day('2026-12-01')}The operator's price for all organizationsStandardEndedEndedEnded${version.set_by}`,
      `${day('2026-11-03')}The operator's price for all organizationsStandard$1.25$0.125$10.00${version.set_by}`,
    ]);
  });

  it('has the command that changes its price, also without one', async () => {
    const set = 'npm run admin -- price set openai/gpt-5';
    expect(texts(await detailsOf({}), 'code')).toContain(`${set} --input 1.25 --output 10`);
    const cached = { ...listed, rates: [...listed.rates, rate('cached_text_input_tokens', '0.125')] };
    expect(texts(await detailsOf({ prices: [cached] }), 'code')).toContain(
      `${set} --input 1.25 --cached-input 0.125 --output 10`,
    );
    const audio = { ...listed, rates: [...listed.rates, rate('audio_output_tokens', '20')] };
    const long = { ...listed, above: [{ input_tokens: 272_000, rates: listed.rates }] };
    expect([listed, cached, audio, long].map((price) => hasOtherPrices(price))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(textOf(await detailsOf({ prices: [long] }))).toContain('price import FILE sets all of them');
    const unpriced = await detailsOf({ prices: [] });
    expect(texts(unpriced, 'code')).toContain(`${set} --input USD --output USD`);
    expect(textOf(unpriced)).toContain('The person who operates the gateway runs this command');
  });
});

it('The command that sets a price names the model safely', () => {
  expect(priceCommand('own/llama:70b@x', listed)).toContain(' price set own/llama:70b@x --input 1.25 ');
  expect(priceCommand("own/it's $HOME", listed)).toContain(` price set 'own/it'\\''s $HOME' --input`);
});

describe('The way to a real provider', () => {
  const hintWith = (...setUp: string[]) =>
    renderOnPage(createElement(ConnectProvider), {
      loaded: [
        [
          providerListQuery('org_1').queryKey,
          { data: ['demo', 'groq', 'openai'].map((name) => ({ name, set_up: setUp.includes(name) })) },
        ],
      ],
    });

  it('is offered while there is only the demo', async () => {
    const hint = await hintWith('demo');
    expect(names(hint, 'button')).toEqual(['Connect a real provider', 'Copy: Command to connect a provider']);
    expect(textOf(hint)).toContain('npm run admin -- provider set openai');
    expect(textOf(await hintWith('demo', 'groq'))).toBe('');
    expect(textOf(await hintWith())).toBe('');
  });
});
