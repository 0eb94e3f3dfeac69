import { getRouteApi } from '@tanstack/react-router';
import { PromptList } from './prompt-list.tsx';
import { PromptPage } from './prompt-page.tsx';

const route = getRouteApi('/shell/organizations/$organizationId/prompts');

/** The prompts of the range, or the one in the link. */
export function PromptsView() {
  const { prompt_id: promptId } = route.useSearch();
  return promptId === undefined ? <PromptList /> : <PromptPage key={promptId} promptId={promptId} />;
}
