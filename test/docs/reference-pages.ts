/** A page of typedoc's without what says nothing, or says it a second time. */
export function compact(page: string): string {
  // From one heading to the next; those of level 6 are parts of a method.
  const sections = page.split(/^(?=#{1,5} )/m);
  return sections
    .filter((section) => !section.includes('\n###### Inherited from\n'))
    .join('')
    .replace(/^(### (?:endpoints|problems)\n[^#]*)#### Type Declaration\n.*?(?=^#{2,3} )/gms, '$1')
    .replace(/^#{4,6} (?:Returns|Overrides|Implementation of)\n(?:(?!#).*\n)*/gm, '')
    .replace(/<a id="[^"]*"><\/a> /g, '')
    .replace(/\[([^\]]+)\]\([\w.-]*#(?:property|type-parameter)-[\w-]+\)/g, '$1')
    .replace(/^\*\*\*\n\n/gm, '');
}

/** The page that leads to the others. */
export function indexOf(entries: readonly { readonly specifier: string; readonly page: string }[]): string {
  const links = entries.map(({ specifier, page }) => `- [${specifier}](${page}.md)`);
  return `# API reference\n\nMade of the sources by \`npm run reference\`.\n\n${links.join('\n')}\n`;
}
