import { describe, expect, it } from 'vitest';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import {
  countsText,
  describeUncertainty,
  isCertain,
  uncertainCostSentences,
  unpricedSentence,
} from '#dashboard/metrics/uncertainty.ts';

const certain = {
  unpriced_requests: 0,
  assumed_requests: 0,
  assumed_cost_usd: '0',
  estimated_requests: 0,
  estimated_cost_usd: '0',
  uncertain_cost_share: 0,
};
const unpriced = { ...certain, unpriced_requests: 3 };
const assumed = {
  ...certain,
  assumed_requests: 1200,
  assumed_cost_usd: '1.2300045',
  uncertain_cost_share: 0.0513,
};
const estimated = { ...certain, estimated_requests: 1, estimated_cost_usd: '0.35', uncertain_cost_share: 1 };
const all = {
  ...estimated,
  ...assumed,
  unpriced_requests: 1,
  estimated_requests: 5,
  estimated_cost_usd: '2',
};

describe('The uncertain part of a sum', () => {
  it.each([
    ['without any', certain, null],
    ['without requests', { ...certain, uncertain_cost_share: null }, null],
    ['that is unpriced', unpriced, '3 requests have no known price, and count as $0'],
    ['that is assumed', assumed, '5.1% of this is assumed (1,200 requests)'],
    ['that is estimated', estimated, '100% of this is estimated (1 request)'],
    [
      'of every kind',
      all,
      '5.1% of this is assumed (1,200 requests) or estimated (5 requests); 1 request has no known price, and counts as $0',
    ],
    [
      'whose share rounds to nothing',
      { ...assumed, uncertain_cost_share: 0 },
      '<0.01% of this is assumed (1,200 requests)',
    ],
    ['of a cost of 0', { ...estimated, uncertain_cost_share: null }, 'This is estimated (1 request)'],
    [
      'whose requests are not counted by kind',
      { unpriced_requests: 0, uncertain_cost_share: 0.25 },
      '25.0% of this is assumed or estimated',
    ],
    [
      'whose only known requests are unpriced',
      { unpriced_requests: 2, uncertain_cost_share: null },
      '2 requests have no known price, and count as $0',
    ],
  ])('%s is described in one text', (_case, sum, text) => {
    expect(describeUncertainty(sum)).toBe(text);
    expect(isCertain(sum)).toBe(text === null);
  });

  it.each([
    [certain, null],
    [unpriced, 'Requests: 3 without a known price'],
    [all, 'Requests: 1,200 assumed, 5 estimated, 1 without a known price'],
  ])('is counted for a line of a table', (sum, text) => {
    expect(countsText(sum)).toBe(text);
  });

  it.each([
    [certain, []],
    [unpriced, []],
    [
      assumed,
      [
        '5.1% of the cost is not certain.',
        '$1.2300045 is assumed (1,200 requests): the price or a part of the usage is not certain.',
      ],
    ],
    [
      { ...estimated, uncertain_cost_share: null, estimated_cost_usd: '0' },
      [
        '$0.00 is estimated (1 request): the usage is estimated from the texts, since the provider did not report all of it.',
      ],
    ],
    [
      all,
      [
        '5.1% of the cost is not certain.',
        '$1.2300045 is assumed (1,200 requests): the price or a part of the usage is not certain.',
        '$2.00 is estimated (5 requests): the usage is estimated from the texts, since the provider did not report all of it.',
      ],
    ],
  ])('has a sentence for its share and for each kind of cost', (sum, sentences) => {
    expect(uncertainCostSentences(sum, formatExactUsd)).toEqual(sentences);
  });

  it.each([
    [0, null],
    [1, '1 request has no known price, and counts as $0.'],
    [1200, '1,200 requests have no known price, and count as $0.'],
  ])('has a sentence for its unpriced requests', (unpriced_requests, sentence) => {
    expect(unpricedSentence({ unpriced_requests })).toBe(sentence);
  });
});
