export function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export function prose(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

export function jsonHtml(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_, member: unknown) => (typeof member === 'string' ? cut(member) : member),
    2,
  );
  return escape(text).replace(
    /(&quot;(?:(?!&quot;).|\\&quot;)*?&quot;)(\s*:)?|\b(true|false|null|-?\d+(?:\.\d+)?)\b/g,
    (_, string: string | undefined, colon: string | undefined, word: string | undefined) => {
      if (string === undefined) return `<i class="w">${word}</i>`;
      return colon === undefined ? `<i class="s">${string}</i>` : `<i class="k">${string}</i>${colon}`;
    },
  );
}

function cut(text: string): string {
  return text.length > 48 && !text.includes(' ') ? `${text.slice(0, 40)}…` : text;
}
