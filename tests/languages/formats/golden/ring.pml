/* ring, for SPIN, which stores one state for each configuration of it when run so:
   spin -o3 -a FILE && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E */
#define K 2
mtype = { token, last_one };
chan A_to_B = [K] of { mtype };  /* A to B */
chan B_to_C = [K] of { mtype };  /* B to C */
chan C_to_A = [K] of { mtype };  /* C to A */

active proctype A() {
s_s0: if
  :: A_to_B!token -> goto s_s1
  fi;
s_s1: if
  :: C_to_A?token -> goto s_s0
  :: C_to_A?last_one -> goto end_end
  fi;
end_end: false;
}

active proctype B() {
s_s0: if
  :: A_to_B?token -> goto s_s1
  fi;
s_s1: if
  :: B_to_C!token -> goto s_s0
  :: full(B_to_C) -> goto s_s0
  fi;
}

active proctype C() {
s_s0: if
  :: B_to_C?token -> goto s_s1
  fi;
s_s1: if
  :: C_to_A!token -> goto s_s0
  :: C_to_A!last_one -> goto end_end
  fi;
end_end: false;
}

active proctype faults_B_to_C() {
  mtype x; byte i, n; bool done;
end: do
  :: atomic { nempty(B_to_C) -> n = len(B_to_C);
       do
       :: i < n -> B_to_C?x; i++;
          if
          :: B_to_C!x
          :: !done && n > 0 -> done = true
          fi
       :: i == n -> break
       od; x = 0; i = 0; n = 0; done = false }
  od
}
