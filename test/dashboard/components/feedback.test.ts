import type { UseQueryResult } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { Button, buttonClasses, IconButton } from '#dashboard/components/button.tsx';
import { CopyButton, CopyField } from '#dashboard/components/copying.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { useShown } from '#dashboard/components/feedback/old-content.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Table } from '#dashboard/components/table.tsx';
import { runHook } from '../rendering/hook.ts';
import {
  all,
  names,
  only,
  type RenderedElement,
  renderComponent,
  textOf,
  texts,
} from '../rendering/markup.ts';

describe('The panel of a query', () => {
  const panel = (query: Partial<UseQueryResult<string>>) =>
    renderComponent(QueryPanel<string>, {
      query: query as UseQueryResult<string>,
      skeleton: 'skeleton ',
      children: (data) => `data: ${data}`,
    });
  const failed = { isError: true as const, error: new Error('The service is unavailable') };

  it('shows the data, also when a later refresh has failed', () => {
    expect(textOf(panel({ data: 'figures', isError: false }))).toBe('data: figures');
    expect(textOf(panel({ data: '', ...failed }))).toBe('data: ');
  });

  it('dims data that stands in for other data that is loading, and says so', () => {
    const old = only(panel({ data: 'old', isError: false, isPlaceholderData: true }), '[aria-busy=true]');
    expect(textOf(old)).toBe('data: old');
    const dimmed = (part: RenderedElement) =>
      all(part, 'div').filter(({ attributes }) => /\bopacity-40 delay-150\b/.test(attributes.class ?? ''));
    expect(dimmed(old).map(textOf)).toEqual(['data: old']);
    const current = panel({ data: 'new', isError: false, isPlaceholderData: false });
    expect(all(current, '[aria-busy=true]')).toEqual([]);
    expect(dimmed(current)).toEqual([]);
  });

  it('says that it is loading', () => {
    const loading = panel({ isError: false });
    expect(textOf(only(loading, '[aria-busy=true]'))).toBe('skeleton Loading…');
    expect(all(loading, '[role=alert]')).toEqual([]);
  });

  it('says why it has failed, and can be tried again', () => {
    const alert = only(panel(failed), '[role=alert]');
    expect(texts(alert, 'p')).toEqual(['This could not be loaded', 'The service is unavailable']);
    expect(texts(alert, 'button')).toEqual(['Try again']);
    expect(all(alert, '[aria-busy]')).toEqual([]);
    expect(all(panel({ ...failed, isFetching: true }), 'button[aria-busy=true]')).toHaveLength(1);
  });
});

describe('The choice that is shown', () => {
  it('is the one before while the data of another is loading', () => {
    const steps = [
      ['month', false],
      ['week', true],
      ['week', false],
      ['week', true],
    ] as const;
    let step = -1;
    const shown = runHook(
      () => {
        step += 1;
        const [id = '', isPlaceholderData = false] = steps[step] ?? [];
        return useShown({ id }, { isPlaceholderData });
      },
      steps.slice(1).map(() => () => {}),
    );

    expect(shown).toEqual([
      { shown: { id: 'month' }, isOld: false },
      { shown: { id: 'month' }, isOld: true },
      { shown: { id: 'week' }, isOld: false },
      // The same choice, which has moved on with the time.
      { shown: { id: 'week' }, isOld: false },
    ]);
  });
});

describe('A notice', () => {
  const notice = (props: Partial<Parameters<typeof Notice>[0]>) =>
    renderComponent(Notice, { tone: 'neutral', ...props });

  it('has the role that it is given, a title, a text and an action', () => {
    const full = notice({ role: 'status', title: 'Title', children: 'Text', action: 'Action' });
    expect(textOf(only(full, '[role=status]'))).toBe('TitleTextAction');
    expect(all(full, 'p')).toHaveLength(1);
    expect(all(notice({ children: 'Text' }), 'p')).toEqual([]);
    expect(all(notice({ children: 'Text' }), '[role]')).toEqual([]);
  });

  it('has an icon and colours of its tone', () => {
    const looks = (['neutral', 'success', 'warning', 'danger'] as const).map((tone) => {
      const shown = notice({ tone, children: tone });
      return JSON.stringify([all(shown, 'svg'), only(shown, 'svg').attributes.class]);
    });
    expect(new Set(looks).size).toBe(4);
  });
});

describe('A button', () => {
  const button = (props: object) => only(renderComponent(Button, { children: 'Save', ...props }), 'button');

  it('ignores presses while it is pending, but keeps the focus', () => {
    expect(button({ pending: true }).attributes).toMatchObject({
      'aria-busy': 'true',
      'aria-disabled': 'true',
    });
    expect(button({ pending: true }).attributes.disabled).toBeUndefined();
    expect(textOf(button({ pending: true }))).toBe('Save');
  });

  it('is disabled, or not', () => {
    expect(button({ disabled: true }).attributes).toMatchObject({ disabled: '' });
    expect(Object.keys(button({}).attributes).filter((name) => /disabled|busy/.test(name))).toEqual([]);
  });

  it('submits a form only if it says so', () => {
    expect([button({}), button({ type: 'submit' })].map(({ attributes }) => attributes.type)).toEqual([
      'button',
      'submit',
    ]);
  });

  it('looks like links that have its look', () => {
    const look = { variant: 'danger', size: 'small' } as const;
    expect(button(look).attributes.class).toBe(buttonClasses(look));
    expect(button({}).attributes.class).toBe(buttonClasses());
    expect(buttonClasses()).toBe(buttonClasses({ variant: 'secondary', size: 'medium' }));
  });

  it('with an icon alone has a name', () => {
    expect(names(renderComponent(IconButton, { label: 'Close', children: '×' }), 'button')).toEqual([
      'Close',
    ]);
  });
});

describe('A text to copy', () => {
  it('is shown with a button that is named after it', () => {
    const field = renderComponent(CopyField, { label: 'curl', text: '-H "a: b"' });
    expect(texts(field, 'code')).toEqual(['-H "a: b"']);
    expect(names(field, 'button')).toEqual(['Copy: curl']);
    expect(texts(field, '[role=status]')).toEqual(['']);
    expect(names(renderComponent(CopyButton, { label: 'Copy ID', text: 'x' }), 'button')).toEqual([
      'Copy ID',
    ]);
  });

  it('has the focus in the dialog that is about it', () => {
    const focused = (primary: boolean) =>
      all(renderComponent(CopyField, { label: 'Key', text: 'x', primary }), 'button[autofocus]').length;
    expect([focused(true), focused(false)]).toEqual([1, 0]);
  });
});

describe('A table', () => {
  const table = renderComponent(Table<{ id: string; count: number }>, {
    label: 'Keys',
    items: [
      { id: 'a', count: 1 },
      { id: 'b', count: 2 },
    ],
    itemKey: ({ id }) => id,
    columns: [
      { title: 'Name', cell: ({ id }) => id },
      { title: 'Requests', align: 'end', cell: ({ count }) => count },
      { title: 'Action', hiddenTitle: true, cell: ({ count }) => count > 1 && 'Revoke' },
    ],
  });

  it('names each item in its first column, and has the other values after it', () => {
    expect(names(table, 'table')).toEqual(['Keys']);
    expect(all(table, 'tr').map((row) => [...texts(row, 'th'), ...texts(row, 'td')])).toEqual([
      ['Name', 'Requests', 'Action'],
      ['a', '1', ''],
      ['b', '2', 'Revoke'],
    ]);
    expect(all(table, '[scope=row]')).toHaveLength(2);
  });

  it('labels the values for narrow screens, except for actions', () => {
    const labels = all(table, 'td').map((cell) =>
      all(cell, '[aria-hidden=true]').flatMap(({ children }) => children),
    );
    expect(labels).toEqual([['Requests'], [], ['Requests'], []]);
  });

  it('has three rows while it loads, unless another number is given', () => {
    const rows = (props: object) => all(renderComponent(TableSkeleton, props), 'span').length;
    expect([rows({}), rows({ rows: 1 })]).toEqual([3, 1]);
  });
});

describe('A dialog that is loaded when it is first opened', () => {
  it('is nothing before', () => {
    const opened = (open: boolean) => textOf(renderComponent(OnceOpened, { open, children: 'content' }));
    expect([opened(false), opened(true)]).toEqual(['', 'content']);
  });
});
