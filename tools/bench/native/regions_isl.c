/*
 * Evaluates sparsity equations with isl, from a script on stdin, and writes what it took. Sets and maps are made before the
 * clock begins; the evaluation is repeated for a second of processor time, up to 1000 times.
 *
 *   set NAME DIMS COUNT        then COUNT lines of DIMS numbers: a set of points
 *   isl NAME                   then a line: a set as isl writes it
 *   start                      what follows is the evaluation
 *   term TO ATOMS              then ATOMS pairs of lines, a set's name and an isl map, and the map to TO:
 *                              TO is united with the image of the intersection of the images of the sets
 *   cycle VARIABLES TERMS      then VARIABLES names and TERMS terms, as above with the number of the atom that is of the
 *                              cycle behind ATOMS: from what is in the variables, what is new spreads until nothing is
 *   stop                       runs it; milliseconds of processor time, of the first time and the median
 *   count NAME                 the number of points
 */
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST 64
#define LINE 65536

static isl_ctx *ctx;
static struct {
  char name[64];
  isl_set *set;
} sets[MOST];
static int set_count = 0;
static char line[LINE];

typedef struct {
  int to, atoms, recursive;
  int of[8];
  isl_map *map[8];
  isl_map *project;
} term;

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static char *next_line(void) {
  if (!fgets(line, LINE, stdin)) exit(2);
  line[strcspn(line, "\n")] = 0;
  return line;
}

static int find(const char *name) {
  for (int k = 0; k < set_count; k++)
    if (!strcmp(sets[k].name, name)) return k;
  strncpy(sets[set_count].name, name, 63);
  sets[set_count].set = NULL;
  return set_count++;
}

/* Points lo..hi-1 as a union, halves first: unions of two sets copy both. */
static isl_set *points(isl_space *space, const int *at, int dims, int lo, int hi) {
  if (hi - lo == 1) {
    isl_point *p = isl_point_zero(isl_space_copy(space));
    for (int d = 0; d < dims; d++) p = isl_point_set_coordinate_val(p, isl_dim_set, d, isl_val_int_from_si(ctx, at[lo * dims + d]));
    return isl_set_from_point(p);
  }
  int mid = (lo + hi) / 2;
  return isl_set_union(points(space, at, dims, lo, mid), points(space, at, dims, mid, hi));
}

static void read_set(char *args) {
  char name[64];
  int dims, count;
  sscanf(args, "%63s %d %d", name, &dims, &count);
  int *at = malloc(sizeof(int) * (size_t)dims * (count + 1));
  for (int k = 0; k < count * dims; k++)
    if (scanf("%d", &at[k]) != 1) exit(2);
  if (count > 0) next_line();
  isl_space *space = isl_space_set_alloc(ctx, 0, dims);
  int k = find(name);
  sets[k].set = count > 0 ? points(space, at, dims, 0, count) : isl_set_empty(isl_space_copy(space));
  isl_space_free(space);
  free(at);
}

static term read_term(const char *args, int in_cycle) {
  term t;
  char to[64];
  t.recursive = -1;
  if (in_cycle) sscanf(args, "%63s %d %d", to, &t.atoms, &t.recursive);
  else sscanf(args, "%63s %d", to, &t.atoms);
  t.to = find(to);
  for (int a = 0; a < t.atoms; a++) {
    t.of[a] = find(next_line());
    t.map[a] = isl_map_read_from_str(ctx, next_line());
  }
  t.project = isl_map_read_from_str(ctx, next_line());
  return t;
}

/* Missing sets are empty, and so is what they meet: NULL. */
static isl_set *image(term *t, isl_set *news) {
  isl_set *meet = NULL;
  for (int a = 0; a < t->atoms; a++)
    if (a != t->recursive && !sets[t->of[a]].set) return NULL;
  for (int a = 0; a < t->atoms; a++) {
    isl_set *source = isl_set_copy(a == t->recursive ? news : sets[t->of[a]].set);
    isl_set *here = isl_set_apply(source, isl_map_copy(t->map[a]));
    meet = meet ? isl_set_intersect(meet, here) : here;
  }
  if (!meet) meet = isl_set_universe(isl_space_domain(isl_map_get_space(t->project)));
  return isl_set_apply(meet, isl_map_copy(t->project));
}

static isl_set *unite(isl_set *a, isl_set *b) { return !a ? b : !b ? a : isl_set_union(a, b); }

/* A term, or the cycle of some variables. */
typedef struct {
  int variables, terms;
  int vars[MOST];
  term *all;
} step;

static step steps[MOST];
static int step_count = 0;

static void read_step(char *args) {
  step *s = &steps[step_count++];
  if (!strncmp(args, "term ", 5)) {
    s->variables = 0;
    s->terms = 1;
    s->all = malloc(sizeof(term));
    s->all[0] = read_term(args + 5, 0);
    return;
  }
  sscanf(args + 6, "%d %d", &s->variables, &s->terms);
  for (int v = 0; v < s->variables; v++) s->vars[v] = find(next_line());
  s->all = malloc(sizeof(term) * (size_t)s->terms);
  for (int t = 0; t < s->terms; t++) s->all[t] = read_term(next_line() + 5, 1);
}

static void cycle(step *s) {
  int *vars = s->vars;
  int variables = s->variables;
  isl_set *news[MOST], *next[MOST];
  memset(news, 0, sizeof(news));
  for (int v = 0; v < variables; v++) news[vars[v]] = sets[vars[v]].set ? isl_set_coalesce(isl_set_copy(sets[vars[v]].set)) : NULL;
  for (;;) {
    int any = 0;
    memset(next, 0, sizeof(next));
    for (int t = 0; t < s->terms; t++) {
      isl_set *from = news[s->all[t].of[s->all[t].recursive]];
      if (from) next[s->all[t].to] = unite(next[s->all[t].to], image(&s->all[t], from));
    }
    for (int v = 0; v < variables; v++) {
      int k = vars[v];
      if (news[k]) isl_set_free(news[k]);
      news[k] = NULL;
      if (!next[k]) continue;
      isl_set *fresh = isl_set_coalesce(next[k]);
      if (sets[k].set) fresh = isl_set_subtract(fresh, isl_set_copy(sets[k].set));
      if (isl_set_is_empty(fresh)) {
        isl_set_free(fresh);
        continue;
      }
      any = 1;
      sets[k].set = unite(sets[k].set, isl_set_copy(fresh));
      news[k] = fresh;
    }
    if (!any) break;
  }
}

static void evaluate(void) {
  for (int n = 0; n < step_count; n++) {
    step *s = &steps[n];
    if (s->variables > 0) cycle(s);
    else sets[s->all[0].to].set = unite(sets[s->all[0].to].set, image(&s->all[0], NULL));
  }
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(int inputs) {
  static double times[1000];
  double spent = 0;
  int n = 0;
  while (n == 0 || (n < 1000 && spent < 1000)) {
    /* Results of the time before. */
    for (int k = inputs; k < set_count; k++) {
      if (sets[k].set) isl_set_free(sets[k].set);
      sets[k].set = NULL;
    }
    double start = now_ms();
    evaluate();
    times[n] = now_ms() - start;
    spent += times[n++];
    if (n == 1) {
      printf("first %.3f\n", times[0]);
      fflush(stdout);
    }
  }
  qsort(times, n, sizeof(double), by_size);
  printf("ms %.3f\n", times[(n - 1) / 2]);
  fflush(stdout);
}

static isl_stat count_point(isl_point *p, void *user) {
  isl_point_free(p);
  ++*(long *)user;
  return isl_stat_ok;
}

int main(void) {
  ctx = isl_ctx_alloc();
  isl_options_set_on_error(ctx, ISL_ON_ERROR_ABORT);
  int inputs = 0;
  while (fgets(line, LINE, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (!strncmp(line, "set ", 4)) read_set(line + 4);
    else if (!strncmp(line, "isl ", 4)) {
      int k = find(line + 4);
      sets[k].set = isl_set_read_from_str(ctx, next_line());
    }
    else if (!strcmp(line, "start")) inputs = set_count;
    else if (!strncmp(line, "term ", 5) || !strncmp(line, "cycle ", 6)) read_step(line);
    else if (!strcmp(line, "stop")) measure(inputs);
    else if (!strncmp(line, "count ", 6)) {
      long n = 0;
      int k = find(line + 6);
      if (sets[k].set) {
        sets[k].set = isl_set_make_disjoint(sets[k].set);
        isl_set_foreach_point(sets[k].set, count_point, &n);
      }
      printf("count %s %ld\n", sets[k].name, n);
      fflush(stdout);
    }
  }
  return 0;
}
