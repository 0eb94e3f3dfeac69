import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { costsQuery, providerListQuery } from '#dashboard/api/analytics.ts';
import { Button } from '#dashboard/components/button.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { TextField } from '#dashboard/components/forms/text-field.tsx';
import { ForeignText } from '#dashboard/components/values/foreign-text.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { KeyChoice } from '#dashboard/key-names/key-list.tsx';
import { useDelayed } from '#dashboard/key-names/use-key-search.ts';
import { useRange } from '#dashboard/range/range-bar.tsx';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { type FilterName, filterFields, isStatus } from './fields.ts';
import {
  type FilterOption,
  finishReasonOptions,
  isReported,
  operationOptions,
  outcomeOptions,
  providerOptions,
  type ReportedName,
  reportedOptions,
  statusOptions,
  suggestedOptions,
} from './options.ts';

interface ValueFormProps {
  name: FilterName;
  /** Empty for a new filter. */
  value: string;
  /** The listed entries, whose values are suggested. */
  entries: readonly ListedLogEntry[];
  onApply: (value: string) => void;
}

/** The choice or input of a filter's value. */
export function ValueForm(props: ValueFormProps) {
  switch (props.name) {
    case 'api_key_id':
      return <KeyChoice value={props.value} onChoose={props.onApply} />;
    case 'provider':
      return <ProviderChoice {...props} />;
    case 'operation':
      return <OptionList {...props} options={operationOptions} />;
    case 'outcome':
      return <OptionList {...props} options={outcomeOptions} />;
    case 'status':
      return <TextForm {...props} heading="Common" options={statusOptions} />;
    case 'finish_reason':
      return <TextForm {...props} heading="Common" options={finishReasonOptions} />;
    default:
      return <TextForm {...props} options={suggestedOptions(props.name, props.entries)} />;
  }
}

function ProviderChoice(props: ValueFormProps) {
  const { id: organizationId } = useOrganization();
  const providers = useQuery(providerListQuery(organizationId));
  return (
    <QueryPanel query={providers} skeleton={<OptionSkeleton />}>
      {({ data }) => <OptionList {...props} options={providerOptions(data)} />}
    </QueryPanel>
  );
}

function OptionSkeleton() {
  return (
    <div className="flex flex-col gap-3 px-2.5 py-2">
      {['w-24', 'w-36', 'w-28'].map((width) => (
        <Skeleton key={width} className={`h-4 ${width}`} />
      ))}
    </div>
  );
}

/** A field with options below, which are those of the view's range where reports know them. */
function TextForm({
  name,
  value,
  heading = 'In the list',
  options,
  onApply,
  ...props
}: ValueFormProps & { heading?: string; options: readonly FilterOption[] }) {
  const { title, placeholder, hint } = filterFields[name];
  const [text, setText] = useState(value);
  return (
    <>
      <Form
        fields={['value']}
        error={null}
        onSubmit={() => onApply(text.trim())}
        className="flex flex-col gap-3 p-2"
      >
        <TextField
          label={title}
          name="value"
          description={hint}
          placeholder={placeholder}
          value={text}
          onValueChange={setText}
          inputMode={name === 'status' ? 'numeric' : 'text'}
          autoComplete="off"
          autoFocus
          validate={(entered) => checkValue(name, entered.trim())}
        />
        <Button type="submit" size="small" variant="primary">
          Apply
        </Button>
      </Form>
      {isReported(name) ? (
        <ReportedOptions
          {...props}
          name={name}
          value={value}
          text={text}
          options={options}
          onApply={onApply}
        />
      ) : (
        options.length > 0 && (
          <SecondList
            {...props}
            name={name}
            value={value}
            heading={heading}
            options={options}
            onApply={onApply}
          />
        )
      )}
    </>
  );
}

interface ReportedOptionsProps extends ValueFormProps {
  name: ReportedName;
  /** The text of the field, which narrows the options. */
  text: string;
  /** If the report cannot be read. */
  options: readonly FilterOption[];
}

/** The values with the highest spend in the view's range, as far as they have the text. */
function ReportedOptions({ text, options, ...props }: ReportedOptionsProps) {
  const { id: organizationId } = useOrganization();
  const { bounds } = useRange();
  const typed = text.trim();
  const search = useDelayed(typed === props.value ? '' : typed);
  const query = useQuery(
    costsQuery(organizationId, {
      ...bounds,
      group_by: props.name,
      limit: maxReportedOptions,
      search: search || undefined,
    }),
  );
  if (query.isPending) {
    return (
      <div aria-busy="true" className="mt-1 border-t border-line pt-2">
        <OptionSkeleton />
        <span className="sr-only">Loading…</span>
      </div>
    );
  }
  const reported = query.data ? reportedOptions(query.data.groups) : options;
  if (reported.length === 0) return null;
  const heading = query.data ? 'In this range' : 'In the list';
  return <SecondList {...props} heading={heading} options={reported} />;
}

const maxReportedOptions = 20;

/** Below a text field, which has the focus. */
function SecondList(props: Omit<OptionListProps, 'isSecond'>) {
  return (
    <div className="mt-1 border-t border-line pt-1">
      <OptionList {...props} isSecond />
    </div>
  );
}

/** Returns why a value is refused, or `null`. */
export function checkValue(name: FilterName, value: string): string | null {
  if (value === '') return 'Enter the exact value';
  return name === 'status' && !isStatus(value) ? 'Enter an HTTP status, such as 429' : null;
}

interface OptionListProps extends ValueFormProps {
  /** By default the title of the filter. */
  heading?: string;
  options: readonly FilterOption[];
  /** Below a text field, which has the focus. */
  isSecond?: boolean;
}

function OptionList({ name, value, heading, options, onApply, isSecond = false }: OptionListProps) {
  if (options.length === 0) return <p className="px-2.5 py-2 text-muted">There are none yet.</p>;
  return (
    <>
      <p className="px-2.5 pt-1 pb-1.5 text-xs font-medium text-muted">
        {heading ?? filterFields[name].title}
      </p>
      <ul className="-mx-1.5 max-h-64 overflow-y-auto px-1.5">
        {options.map((option, index) => (
          <li key={option.value}>
            <button
              type="button"
              // biome-ignore lint/a11y/noAutofocus: the list has just been opened by the user.
              autoFocus={!isSecond && index === 0}
              aria-pressed={option.value === value}
              onClick={() => onApply(option.value)}
              className="flex min-h-8 w-full items-center gap-2.5 rounded-md px-2.5 py-1 text-left hover:bg-hover focus-visible:outline-offset-[-2px]"
            >
              <span className="min-w-0 flex-1 wrap-anywhere">
                <ForeignText>{option.label}</ForeignText>
              </span>
              {option.detail && <span className="text-[0.8125rem] text-muted">{option.detail}</span>}
              {option.value === value && <Check aria-hidden className="size-4 shrink-0 text-muted" />}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
