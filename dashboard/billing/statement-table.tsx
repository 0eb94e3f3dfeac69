import type { ReactNode } from 'react';
import { classNames } from '#dashboard/components/class-names.ts';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { countsText } from '#dashboard/metrics/uncertainty.ts';
import type { StatementTotals } from '#lambdas/accounts/analytics/responses.ts';

interface NameColumn<Item> {
  title: string;
  cell: (item: Item) => ReactNode;
}

interface StatementTableProps<Item extends StatementTotals> {
  label: string;
  /** On paper, above the headings on each page that the table takes. */
  printTitle: string;
  names: readonly NameColumn<Item>[];
  items: readonly Item[];
  itemKey: (item: Item) => string;
  /** The totals of the statement, to which the items add up. */
  totals: StatementTotals;
  /** Leaves out the tokens. */
  compact?: boolean;
}

const cellClasses =
  'px-2 py-2 first:pl-5 last:pr-5 sm:px-3 print:px-1.5 print:py-1 print:first:pl-0 print:last:pr-0';

/** Lines of a statement with exact amounts, and their totals. Narrow screens scroll it sideways. */
export function StatementTable<Item extends StatementTotals>(props: StatementTableProps<Item>) {
  const { label, printTitle, names, items, itemKey, totals, compact = false } = props;
  const decimals = maxDecimals([totals, ...items].map(({ cost_usd }) => cost_usd));
  // Phones then show all that is left without scrolling.
  const isShort = names.length === 1;
  const figures = (item: StatementTotals) => (
    <>
      <FigureCell>{formatCount(item.requests)}</FigureCell>
      {!compact && <FigureCell wideOnly={isShort}>{formatCount(item.input_tokens)}</FigureCell>}
      {!compact && <FigureCell wideOnly={isShort}>{formatCount(item.output_tokens)}</FigureCell>}
      <FigureCell>
        <ExactUsd amount={item.cost_usd} decimals={decimals} />
      </FigureCell>
    </>
  );
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className={classNames(
        'relative scroll-sideways rounded-xl text-[0.8125rem] sm:text-sm print:overflow-visible',
        // All columns fit an A4 page.
        isShort ? 'print:text-[0.6875rem]/4' : 'print:text-[0.625rem]/4',
      )}
    >
      <table aria-label={label} className="w-full text-left">
        <thead
          data-print-title={printTitle}
          className="print:before:table-cell print:before:max-w-0 print:before:pb-1 print:before:text-[0.625rem] print:before:font-normal print:before:whitespace-nowrap print:before:text-muted print:before:content-[attr(data-print-title)]"
        >
          <tr>
            {names.map(({ title }) => (
              <HeadingCell key={title}>{title}</HeadingCell>
            ))}
            <HeadingCell isFigure>Requests</HeadingCell>
            {!compact && (
              <HeadingCell isFigure wideOnly={isShort}>
                Input tokens
              </HeadingCell>
            )}
            {!compact && (
              <HeadingCell isFigure wideOnly={isShort}>
                Output tokens
              </HeadingCell>
            )}
            <HeadingCell isFigure>Cost in USD</HeadingCell>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={itemKey(item)} className="break-inside-avoid border-t border-line">
              {names.map(({ title, cell }, index) =>
                index === 0 ? (
                  <th
                    key={title}
                    scope="row"
                    className={classNames(
                      cellClasses,
                      'font-medium wrap-anywhere',
                      isShort ? 'min-w-28' : 'min-w-40 print:min-w-0',
                    )}
                  >
                    {cell(item)}
                    <UncertainRequests totals={item} />
                  </th>
                ) : (
                  <td
                    key={title}
                    className={classNames(cellClasses, 'min-w-24 wrap-break-word print:min-w-0')}
                  >
                    {cell(item)}
                  </td>
                ),
              )}
              {figures(item)}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="break-inside-avoid border-t border-control font-semibold">
            <th scope="row" colSpan={names.length} className={cellClasses}>
              Total
            </th>
            {figures(totals)}
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

interface CellProps {
  /** Left out on phones. */
  wideOnly?: boolean;
  children: ReactNode;
}

function HeadingCell({ isFigure = false, wideOnly, children }: CellProps & { isFigure?: boolean }) {
  return (
    <th
      scope="col"
      className={classNames(
        cellClasses,
        'text-xs font-medium whitespace-nowrap text-muted print:text-[0.625rem]',
        isFigure && 'text-right',
        wideOnly && 'max-sm:hidden',
      )}
    >
      {children}
    </th>
  );
}

function FigureCell({ wideOnly, children }: CellProps) {
  return (
    <td
      className={classNames(
        cellClasses,
        'text-right whitespace-nowrap tabular-nums',
        wideOnly && 'max-sm:hidden',
      )}
    >
      {children}
    </td>
  );
}

function UncertainRequests({ totals }: { totals: StatementTotals }) {
  const text = countsText(totals);
  if (text === null) return null;
  return (
    <span
      className={classNames(
        'block text-xs font-normal print:text-[0.625rem]',
        totals.unpriced_requests > 0 ? 'text-warning' : 'text-muted',
      )}
    >
      {text}
    </span>
  );
}

interface ExactUsdProps {
  amount: string;
  /** The most that an amount of the column has. Fewer are filled up with the space of digits, after the text. */
  decimals: number;
}

/** An amount with all its digits, for columns that are aligned on the decimal point. */
function ExactUsd({ amount, decimals }: ExactUsdProps) {
  return (
    <span
      data-fill={'0'.repeat(decimals - decimalsOf(amount))}
      className="whitespace-nowrap tabular-nums after:invisible after:content-[attr(data-fill)]"
    >
      {formatExactUsd(amount)}
    </span>
  );
}

/** As many as amounts of money always show. */
const minDecimals = 2;

export function decimalsOf(amount: string): number {
  return Math.max(minDecimals, /\.(\d+)$/.exec(amount)?.[1]?.length ?? 0);
}

export function maxDecimals(amounts: readonly string[]): number {
  return Math.max(minDecimals, ...amounts.map(decimalsOf));
}
