import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Boxes } from 'lucide-react';
import { modelListQuery } from '#dashboard/api/analytics.ts';
import { Button, LinkButton } from '#dashboard/components/button.tsx';
import { CopyField } from '#dashboard/components/copying.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { ConnectProvider } from '#dashboard/issued-key/connect-provider.tsx';
import type { ModelSummary } from '#lambdas/accounts/analytics/responses.ts';
import { ModelTable } from './model-table.tsx';
import { ProviderSetUp, providerCommand } from './provider-command.tsx';
import type { ModelsSearch } from './search.ts';
import { Toolbar } from './toolbar.tsx';

const route = getRouteApi('/shell/organizations/$organizationId/models');

export function ModelsView() {
  const { organizationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const models = useQuery(modelListQuery(organizationId));
  const change = (changes: ModelsSearch) =>
    navigate({
      search: (present) => ({ ...present, ...changes }),
      replace: true,
      resetScroll: false,
    });
  const list = models.data?.data ?? [];

  return (
    <Page
      wide
      title="Models"
      description="The names to call models by, and their prices in US dollars per million tokens."
    >
      <section aria-label="Models" className="flex flex-col gap-3">
        <Toolbar search={search} onChange={change} providers={providersOf(list, search)} />
        <Scope models={list} search={search} onChange={change} />
        <ConnectProvider />
        <Card>
          <QueryPanel query={models} skeleton={<TableSkeleton rows={12} />}>
            {({ data }) => <FilteredModels models={data} search={search} onChange={change} />}
          </QueryPanel>
        </Card>
        {filterModels(list, search).length > 0 && <Footer />}
      </section>
    </Page>
  );
}

interface FilteredModelsProps {
  models: readonly ModelSummary[];
  search: ModelsSearch;
  onChange: (changes: ModelsSearch) => void;
}

/** Says that models of other providers are left out, and offers them. */
function Scope({ models, search, onChange }: FilteredModelsProps) {
  const hidden = models.filter(({ set_up: isSetUp }) => !isSetUp).length;
  if (search.providers === 'all' || hidden === 0 || hidden === models.length) return null;
  const showsHidden = models.some(({ id, set_up: isSetUp }) => id === search.model && !isSetUp);
  return (
    <p className="px-1 text-[0.8125rem] text-muted">
      {showsHidden ? 'Apart from the opened model, only' : 'Only'} models of providers that are set up are
      listed.{' '}
      <LinkButton onClick={() => onChange({ providers: 'all' })}>
        Show the {formatCount(hidden)} of other providers too
      </LinkButton>
    </p>
  );
}

function FilteredModels({ models, search, onChange }: FilteredModelsProps) {
  const shown = filterModels(models, search);
  const unavailable = shown.length === 0 ? null : providerWithoutSetUp(shown, search);
  return (
    <>
      <p role="status" className="sr-only">
        {shown.length} {shown.length === 1 ? 'model' : 'models'}
      </p>
      {unavailable !== null && (
        <div className="border-b border-line px-5 py-4">
          <ProviderSetUp provider={unavailable} />
        </div>
      )}
      {shown.length > 0 ? (
        <ModelTable
          models={shown}
          expanded={search.model ?? null}
          onExpandedChange={(model) => onChange({ model: model ?? undefined })}
        />
      ) : models.some(({ set_up: isSetUp }) => isSetUp) || search.providers === 'all' ? (
        <NoMatch hidden={filterModels(models, { ...search, providers: 'all' }).length} onChange={onChange} />
      ) : (
        <NoProvider onShowAll={() => onChange({ providers: 'all' })} />
      )}
    </>
  );
}

/** The chosen provider, if none of its models can be called. */
function providerWithoutSetUp(shown: readonly ModelSummary[], search: ModelsSearch): string | null {
  if (search.provider === undefined || shown.some(({ set_up: isSetUp }) => isSetUp)) return null;
  return search.provider;
}

interface NoMatchProps extends Pick<FilteredModelsProps, 'onChange'> {
  /** How many models of providers that are not set up match. */
  hidden: number;
}

function NoMatch({ hidden, onChange }: NoMatchProps) {
  if (hidden > 0) {
    return (
      <EmptyState
        icon={Boxes}
        title="No model matches of the providers that are set up"
        action={<Button onClick={() => onChange({ providers: 'all' })}>Show all providers</Button>}
      >
        {hidden} {hidden === 1 ? 'model' : 'models'} of other providers would.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Boxes}
      title="No model matches"
      action={
        <Button onClick={() => onChange({ search: undefined, provider: undefined })}>Clear filters</Button>
      }
    >
      Requests with other names are passed on too, if the provider before the slash is set up. Their price may
      not be known.
    </EmptyState>
  );
}

function NoProvider({ onShowAll }: { onShowAll: () => void }) {
  return (
    <div className="flex flex-col items-center pb-10">
      <EmptyState icon={Boxes} title="No provider is set up">
        The operator of this gateway stores the credential of a provider, such as OpenAI. Its models are
        listed here a minute later.
      </EmptyState>
      <div className="flex w-full max-w-lg flex-col gap-3 px-6">
        <CopyField label="Command of the operator" hiddenLabel text={providerCommand('openai')} />
        <div className="flex justify-center">
          <Button onClick={onShowAll}>Show the models of all providers</Button>
        </div>
      </div>
    </div>
  );
}

function Footer() {
  return (
    <p className="px-1 text-[0.8125rem] text-muted">
      A token type without a price of its own (–) costs as much as input or output. Each request is billed at
      the prices that were valid when it was received.
    </p>
  );
}

/** Each word must be a part of the name. */
export function filterModels(models: readonly ModelSummary[], search: ModelsSearch): ModelSummary[] {
  const words = (search.search ?? '').toLowerCase().split(/\s+/);
  return models.filter(
    ({ id, provider, set_up: isSetUp }) =>
      (isSetUp || search.providers === 'all' || id === search.model) &&
      (search.provider === undefined || provider === search.provider) &&
      words.every((word) => id.toLowerCase().includes(word)),
  );
}

/** The providers of the models, and the chosen one, so that its filter can be seen and removed. */
export function providersOf(models: readonly ModelSummary[], search: ModelsSearch): string[] {
  const names = filterModels(models, { providers: search.providers }).map(({ provider }) => provider);
  return [...new Set(search.provider === undefined ? names : [...names, search.provider])].sort();
}
