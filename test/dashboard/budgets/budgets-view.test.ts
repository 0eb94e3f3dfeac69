import { createElement } from 'react';
import { expect, it } from 'vitest';
import { budgetListQuery } from '#dashboard/api/organizations.ts';
import { BudgetsView } from '#dashboard/budgets/budgets-view.tsx';
import { textOf } from '#test/dashboard/rendering/markup.ts';
import { renderOnPage } from '#test/dashboard/rendering/page.ts';

const viewWith = async (page: object) =>
  textOf(
    await renderOnPage(createElement(BudgetsView), {
      loaded: [
        [
          budgetListQuery('org_1').queryKey,
          {
            pages: [{ object: 'list', data: [], next_cursor: null, ranking: null, ...page }],
            pageParams: [''],
          },
        ],
      ],
    }),
  );

it.each([
  [true, 'Owners get an e-mail when 50, 80 and 100% of a budget are spent.'],
  [false, 'Nobody gets an e-mail when 50, 80 and 100% of a budget are spent: the operator'],
])('The view of budgets says whether mails are sent: %s', async (sender, text) => {
  expect(await viewWith({ mail: { sender } })).toContain(text);
});
