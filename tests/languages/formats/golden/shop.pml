/* Shop, for SPIN, which stores one state for each configuration of it when run so:
   spin -o3 -a FILE && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E */
#define K 2
mtype = { order_item, price_int, soldOut, crash };
chan Buyer_to_Shop = [K] of { mtype };  /* Buyer to Shop */
chan Shop_to_Buyer = [K] of { mtype };  /* Shop to Buyer */

active proctype Buyer() {
s_ask: if
  :: Buyer_to_Shop!order_item -> goto s_wait
  :: full(Buyer_to_Shop) -> goto s_wait
  fi;
s_wait: if
  :: Shop_to_Buyer?price_int -> goto end_done
  :: Shop_to_Buyer?soldOut -> goto s_ask
  :: Shop_to_Buyer?crash -> goto end_done
  fi;
end_done: false;
}

active proctype Shop() {
s_idle: if
  :: Buyer_to_Shop?order_item -> goto s_decide
  :: _nr_pr > 0 /* crash */ -> goto s_sink
  fi;
s_decide: if
  :: Shop_to_Buyer!price_int -> goto end_gone
  :: Shop_to_Buyer!soldOut -> goto s_idle
  :: _nr_pr > 0 /* crash */ -> goto s_sink
  fi;
end_gone: false;
s_sink: if
  :: Shop_to_Buyer!crash -> goto end_stop
  fi;
end_stop: false;
}

active proctype Auditor() {
end_asleep_for_ever: false;
}

active proctype faults_Buyer_to_Shop() {
  mtype x, y; byte i, n; bool done;
end: do
  :: atomic { nempty(Buyer_to_Shop) -> n = len(Buyer_to_Shop);
       do
       :: i < n -> Buyer_to_Shop?x; i++;
          if
          :: Buyer_to_Shop!x
          :: !done && n > 0 -> done = true
          :: !done && i < n -> done = true; Buyer_to_Shop?y; i++; Buyer_to_Shop!y; Buyer_to_Shop!x
          fi
       :: i == n -> break
       od; x = 0; y = 0; i = 0; n = 0; done = false }
  od
}

active proctype faults_Shop_to_Buyer() {
  mtype x; byte i, n; bool done;
end: do
  :: atomic { nempty(Shop_to_Buyer) -> n = len(Shop_to_Buyer);
       do
       :: i < n -> Shop_to_Buyer?x; i++;
          if
          :: Shop_to_Buyer!x
          :: !done && x == price_int -> done = true; Shop_to_Buyer!soldOut
          fi
       :: i == n -> break
       od; x = 0; i = 0; n = 0; done = false }
  od
}
