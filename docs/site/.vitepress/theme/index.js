import Theme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import '../../../../packages/console/src/styles/tokens.css';
import './style.css';
import Landing from './Landing.vue';
import PageAsMarkdown from './PageAsMarkdown.vue';
import Playground from './Playground.vue';

export default {
  extends: Theme,
  Layout: () => h(Theme.Layout, null, { 'doc-footer-before': () => h(PageAsMarkdown) }),
  enhanceApp: ({ app }) => {
    app.component('Landing', Landing);
    app.component('Playground', Playground);
  },
};
